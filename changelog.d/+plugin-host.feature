A plugin host: plugins register passes, targets, simulators and commands by name; nothing is imported before it is used.
