Vector kernels are dispatched to both vector cores: `split_vector_kernel` marks divided ones, and lets the second core replay the messages of the others.
