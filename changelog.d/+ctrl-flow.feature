The `ctrl_flow_transform` pass: break and continue of kernels become branches, flags and while loops.
