Listing plugins and printing the version start quicker: what is not used is not imported, and no plugin is imported to be listed.
