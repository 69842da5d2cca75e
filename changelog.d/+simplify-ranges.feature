Simplify knows the range and step of a loop index, what was assigned to a scalar, and what conditions say: `pl.min(32, 128 - i)` in steps of 32 becomes 32.
