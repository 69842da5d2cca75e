`PtoReport` also takes objects: for each pass whether it ran or was reused, why, its time and the time saved, as JSON and as a page.
