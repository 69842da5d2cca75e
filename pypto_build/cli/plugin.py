# SPDX-License-Identifier: Apache-2.0
"""The commands of `pypto-build`: one line each."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.host import hookimpl

PYPTO_BUILD_API = 1


@hookimpl
def pypto_register_commands() -> Mapping[str, str]:
    """Commands by name."""
    return {
        "check": "pypto_build.cli.check:command",
        "compile": "pypto_build.cli.compile:command",
        "explain": "pypto_build.cli.explain:command",
        "init": "pypto_build.cli.init:command",
        "new": "pypto_build.cli.new:command",
        "pipeline": "pypto_build.cli.pipeline:command",
        "plugins": "pypto_build.cli.plugins:command",
        "simulate": "pypto_build.cli.simulate:command",
        "store": "pypto_build.cli.store:command",
    }
