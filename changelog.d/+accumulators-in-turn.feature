Loops that keep two accumulators give the stages' accumulators two slots in turn.
