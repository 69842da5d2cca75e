The `pto` target writes every operation of a kernel that has an instruction, on both architectures; with `memory_planner: ptoas` it leaves addresses to the assembler.
