A dry run and a run with nothing to do start no collection of the store; `scons --debug=explain` shows old and new values of variables.
