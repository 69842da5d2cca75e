Array types with no elements, and FP4 shapes that fill no whole bytes, are refused where they are written; `pl.jit` says that it is not supported.
