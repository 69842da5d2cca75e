LowerCompositeOps lowers the collectives of kernels (allreduce in mesh and ring form, reduce_scatter, allgather, all_to_all, broadcast, barrier) to remote loads and counters.
