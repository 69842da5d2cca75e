Operations of plugins can be used in sources, are simulated by the NumPy function that they state, and emitted as the instruction that they name.
