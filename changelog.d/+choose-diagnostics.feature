Warnings and hints are switched off and on by name: `diagnostics:` in a pipeline file, `--disable` and `--enable` of `pypto-build compile`, `PTODISABLE` and `PTOENABLE` in an SConstruct.
