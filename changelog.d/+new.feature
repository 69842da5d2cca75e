`pypto-build new pass|target|simulator|op NAME` writes a plugin package with its tests and a pipeline that uses it.
