Kernels with pipes get their workspace in global memory: `inject_gm_pipe_buffer` hands it down from the orchestration, which allocates one for each launch.
