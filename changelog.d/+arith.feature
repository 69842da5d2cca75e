`pypto.arith` of the compatibility layer offers the Analyzer and its parts, constant folding and integer arithmetic.
