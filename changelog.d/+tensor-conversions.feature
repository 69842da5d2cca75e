Kernels may use every tensor operation: gather, scatter, sorted merges, paged gathers, repetitions, divisions by a column and remote transfers become tile operations.
