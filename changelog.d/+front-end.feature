Kernels written with `import pypto.language as pl` load: functions, programs, loops, branches, scopes, tasks, inlined functions and text.
