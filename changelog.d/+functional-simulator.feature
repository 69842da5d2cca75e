The `functional` simulator runs a program at any stage of its pipeline in NumPy, with on-chip memory as bytes, so that a wrong reuse of memory is seen in the answer.
