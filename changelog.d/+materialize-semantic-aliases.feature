MaterializeSemanticAliases puts what a loop carries, and what branches merge into, in one buffer, with moves only where two values are alive at once.
