The pass materialize_valid_shape_symbols passes extents of valid regions that only the caller of a kernel knows.
