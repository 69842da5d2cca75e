All tile operations are registered, with their types, valid regions, memory spaces and effects, and can be called from Python.
