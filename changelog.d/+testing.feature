`pypto_build.testing`: programs from text, `check_pass`, `check_contract` and golden files for tests of plugins.
