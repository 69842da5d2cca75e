Kernels with the attribute windowize are passed the windows that they touch, so that calls on different parts of a tensor do not wait for each other.
