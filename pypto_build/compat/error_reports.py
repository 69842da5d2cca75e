# SPDX-License-Identifier: Apache-2.0
"""What is said when kernels cannot be compiled: one line for each, the name of the kernel first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_ERROR: Final = re.compile(r"\berror: ", re.IGNORECASE)
_REPORT: Final = "report/codegen_errors.txt"


def error_summary(error: Exception, name: str) -> str:
    """The line of an error that says what is wrong: that of the assembler if it speaks, else the first one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    found = next((line for line in lines if _ERROR.search(line)), lines[0] if lines else type(error).__name__)
    return re.sub(rf"^{re.escape(name)}[:\s]+", "", found)


def error_report(errors: Sequence[tuple[str, Exception]], output_dir: str) -> str:
    """A table of the kernels that failed, and where all of what was said is kept."""
    rows = [(name, error_summary(error, name)) for name, error in errors]
    width = max([len("Function"), *(len(name) for name, _ in rows)])
    table = [f"  {name:<{width}} | {summary}" for name, summary in [("Function", "Error"), *rows]]
    place = Path(output_dir, _REPORT)
    return "\n".join([f"{len(rows)} function(s) failed to compile:", *table, f"Details: {place}"])
