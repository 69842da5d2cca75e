`convert_tensor_to_tile_ops` gives kernels that are written with tensors their loads, tile operations and stores.
