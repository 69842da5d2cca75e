The target orchestration writes the C++ that launches a program's kernels, and a description of them.
