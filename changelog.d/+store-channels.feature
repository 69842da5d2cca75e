A kernel that stores windows and single elements to one tensor is mended where that is possible, and refused otherwise.
