`pypto-build compile --dump-passes DIR` writes the program before the first pass and after each one.
