Simplify goes on with what a round has found out, in `max_iterations` rounds at most, so that its own result is final.
