MaterializeTensorStrides writes the packed strides of tensors that name a layout without them, and refuses a tensor in NZ layout at its line.
