# SPDX-License-Identifier: Apache-2.0
"""What a failure inside a pass leaves behind: the IR before the pass and the one-line pipeline that fails on it."""

from __future__ import annotations

import os
import tempfile

from pypto_build.driver.request import CompileRequest
from pypto_build.driver.toolchain import Toolchain
from pypto_build.pipeline import one_line_of_pass
from pypto_build.pipeline.state import FunctionState


def write_reproducer(request: CompileRequest, tools: Toolchain, step_id: str, state: FunctionState | None) -> str:
    """Write a reproducer; its path, or an empty text when there is no body to write or no place for it."""
    if state is None or state.node is None:
        return ""
    pipeline = one_line_of_pass(tools.pipeline, step_id)
    head = [
        f"# {os.path.basename(request.source)}: pass {step_id} failed on function {state.facts.name}",
        f"# pypto-build compile THIS_FILE --pipeline '{pipeline}'",
        "import pypto.language as pl",
        "",
    ]
    try:
        handle, path = tempfile.mkstemp(prefix="pypto-reproducer-", suffix=".py")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("\n".join(head) + "\n" + str(state.node) + "\n")
    except Exception:  # a reproducer that cannot be written must not hide the failure that it is about
        return ""
    return path
