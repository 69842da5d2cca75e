`pypto_build.testing` checks the contracts of targets and simulators in one line as well: `check_target` and `check_simulator`.
