# SPDX-License-Identifier: Apache-2.0
"""The program after each pass as files that can be read, compiled and compared: 00_frontend.py, 01_after_<Pass>.py."""

from __future__ import annotations

from pathlib import Path

from pypto_build.driver.publish import write_if_changed
from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.pipeline.run import Run, RunResult, Step


def dumped(run: Run, steps: tuple[Step, ...], directory: Path) -> RunResult:
    """Run every step and write the program before the first and after each.

    Raises:
        UserError: the directory cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("DUMP001", f"cannot make the directory {directory}: {error.strerror}") from error
    _write(directory / "00_frontend.py", run)
    for number, step in enumerate(steps, 1):
        run.step(step)
        _write(directory / f"{number:02}_after_{step.pass_.name}.py", run)
    return run.finish()


def _write(path: Path, run: Run) -> None:
    program = Program(tuple(state.body() for state in run.states.values()), run.name)  # type: ignore[arg-type]  # any iterable of functions
    write_if_changed(str(path), (str(program).rstrip("\n") + "\n").encode())
