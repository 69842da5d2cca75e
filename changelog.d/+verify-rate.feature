One build in 32 of each source makes again what it finds and compares; `PYPTO_BUILD_VERIFY_RATE` and `PTOVERIFYRATE` set the rate, 0 checks nothing.
