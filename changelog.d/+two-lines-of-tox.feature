Two lines of `tox.ini` or one of `tox.toml` give a project an environment for each of its pipelines, which runs `pytest` unless the project says otherwise.
