A worker that crashes or hangs fails its own target and names source and pass; large ones are replaced; two `scons` in one tree take turns.
