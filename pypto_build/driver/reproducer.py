# SPDX-License-Identifier: Apache-2.0
"""What a failure inside a pass or target leaves behind: the program before it and the one-line pipeline that fails."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable

from pypto_build.ir import Program


def write_reproducer(source: str, about: str, *, before: Callable[[], Program], pipeline: Callable[[], str]) -> str:
    """Write the program that something failed on into a file of its own; the command that fails in the same way.

    `about` is what failed (`pass simplify`) and `source` what it was compiling, for whoever finds the file.
    """
    text, line = str(before()), pipeline()
    handle, path = tempfile.mkstemp(prefix="pypto-reproducer-", suffix=".py")
    command = shlex.join(["pypto-build", "compile", path, "--pipeline", line, "--store-mode", "off"])
    head = [f"# {os.path.basename(source)}: {about} failed on this program", f"# {command}"]
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join([*head, text]) + "\n")
    return command
