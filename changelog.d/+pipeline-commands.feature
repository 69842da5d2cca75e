`pypto-build pipeline show|check|diff|lock|schema` says what a pipeline means; `pypto-build plugins` lists what is installed.
