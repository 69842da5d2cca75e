Simplify takes `max_iterations`: with more than one round it uses what the round before has found out.
