Regions divided between vector cores are checked: what they hold, where they stand, and what crosses their borders.
