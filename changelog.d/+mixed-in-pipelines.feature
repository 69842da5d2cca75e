Kernels that need the cube core and the vector core are cut in two in every shipped pipeline: workspace, replay on both vector cores and releases included.
