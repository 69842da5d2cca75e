The pass `materialize_dist_tensor_ctx` gives chips and kernels the communication context of a distributed tensor as a parameter, at every call.
