The check UnusedVariable warns of variables that are assigned and never read; results of one instruction are exempt.
