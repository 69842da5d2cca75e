# SPDX-License-Identifier: Apache-2.0
"""`pypto-build`: a door that imports nothing before it knows what is asked, so that `--version` costs nothing."""

from __future__ import annotations

import sys

import pypto_build


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        print(f"pypto-build {pypto_build.__version__}")
        return 0
    from pypto_build.cli.dispatch import dispatch

    return dispatch(given)
