Programs and tests written against the public PyPTO package run here: `pypto_build.compat.install()` or `pytest -p pypto_build.compat` answers `import pypto`.
