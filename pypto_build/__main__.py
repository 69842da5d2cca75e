# SPDX-License-Identifier: Apache-2.0
"""`python -m pypto_build` is `pypto-build`."""

import sys

from pypto_build.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
