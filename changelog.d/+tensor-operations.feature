All tensor, array, system, prefetch and distributed operations are registered, with their types, effects and memory spaces.
