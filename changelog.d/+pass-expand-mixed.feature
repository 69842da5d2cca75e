`expand_mixed_kernel` gives pure kernels their core and refuses mixed ones, naming both places.
