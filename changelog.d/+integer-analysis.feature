Integer analysis knows remainders, chains of comparisons and rewriting rules: `x % 4`, `x < z` from `x < y` and `y < z`, `min(x + y, x + z)` are decided or shortened where they were left alone.
