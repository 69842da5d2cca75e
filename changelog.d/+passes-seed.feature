`convert_to_ssa`, `normalize_return_order`, `classify_iter_arg_carry` and `canonicalize_io_order` as the pass documents specify them.
