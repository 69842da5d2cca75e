# SPDX-License-Identifier: Apache-2.0
"""`ReportInstrument`: the directory in which reports are left."""

from __future__ import annotations

from pathlib import Path

from pypto_build.compat.pass_context import PassContext, PassInstrument


class ReportInstrument(PassInstrument):
    """Names a directory in which passes leave reports."""

    def __init__(self, output_dir: str) -> None:
        self._output_dir = output_dir

    def get_name(self) -> str:
        """Its name in messages."""
        return "ReportInstrument"

    def get_output_dir(self) -> str:
        """The directory."""
        return self._output_dir


def report_directory() -> Path | None:
    """The directory that the innermost context names, if it names one."""
    current = PassContext.current()
    instruments = current.get_instruments() if current is not None else []
    named = (one.get_output_dir() for one in instruments if isinstance(one, ReportInstrument))
    return next((Path(name) for name in named), None)
