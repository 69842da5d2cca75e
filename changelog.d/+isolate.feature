`--isolate [SECONDS]` of `compile` and `simulate` runs targets of other people and simulators in processes of their own, whose output never reaches stdout.
