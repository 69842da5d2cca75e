Observing hooks are told of every pass, look-up, pipeline and simulation while it happens, with events that nobody can change.
