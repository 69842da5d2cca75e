The first build with an empty store reads the plain imports of the modules behind a fingerprint without parsing them, which made up a third of it.
