Releases of popped tiles say themselves how the tile was divided and which pipe it came through: `stamp_tfree_split`.
