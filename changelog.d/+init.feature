`pypto-build init` writes a directory with a kernel that `scons` builds and simulates.
