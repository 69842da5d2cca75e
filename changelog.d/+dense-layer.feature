The example `dense_layer` needs both cores in one scope: a product on the cube core, bias and rectifier on the vector cores.
