A kernel that uses both cores is expanded: `expand_mixed_kernel` cuts it into a cube half and a vector half with pipes between them, and a group of its name starts both.
