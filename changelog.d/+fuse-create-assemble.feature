The pass fuse_create_assemble_to_slice lets kernels write into windows of the tensors that orchestration assembles.
