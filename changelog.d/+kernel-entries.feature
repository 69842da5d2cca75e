The `pto` target makes the C++ source of a kernel around what the assembler made of it: its entry unpacks what the runtime hands over.
