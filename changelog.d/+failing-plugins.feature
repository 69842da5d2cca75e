A failure inside of any pass, target, simulator, verifier, check or command names its plugin, and the command that fails again is printed with it.
