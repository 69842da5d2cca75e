`PtoAssemble` runs `ptoas`, where you have it, on the kernels of an object and shows its errors at your lines.
