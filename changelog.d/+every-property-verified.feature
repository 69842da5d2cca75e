Every IR property has a verifier; new are those of divided vector kernels, tensor strides, communication domains, contexts of distributed tensors and hard barriers.
