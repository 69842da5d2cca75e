SCons builders `PtoObject`, `PtoSimulate`, `PtoProgram` and `PtoReport`; workers stay alive during a build.
