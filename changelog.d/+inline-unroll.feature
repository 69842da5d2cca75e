The `inline_functions` and `unroll_loops` passes: bodies of inline functions and iterations of `pl.unroll` are written out.
