LowerCompositeOps computes sines and cosines with additions, multiplications and casts, and its page says how exact they are.
