The pass optimize_orch_tensors writes carried results in place, stores pieces at once and tells kernels the strides of their windows.
