# SPDX-License-Identifier: Apache-2.0
"""The program after each pass as files that can be read, compiled and compared: 00_frontend.py, 01_after_<Pass>.py.

Beside them lies `index.html`, which shows what each pass changed.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from pypto_build.driver.dump_page import Stage, page
from pypto_build.driver.publish import write_if_changed
from pypto_build.errors import UserError
from pypto_build.pipeline.run import Run
from pypto_build.pipeline.step import Step
from pypto_build.pipeline.trace import RunResult

PAGE = "index.html"


def dumped(run: Run, steps: tuple[Step, ...], directory: Path) -> RunResult:
    """Run every step and write the program before the first and after each; the page also when a pass fails.

    Raises:
        UserError: the directory cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("DUMP001", f"cannot make the directory {directory}: {error.strerror}") from error
    stages = [_stage(run, "00_frontend", "frontend", about="The program as the front end reads it.")]
    try:
        _write(directory, stages[0])
        for number, step in enumerate(steps, 1):
            run.step(step)
            name = step.pass_.name
            about = (inspect.getdoc(type(step.pass_)) or "").partition("\n")[0]
            stages.append(_stage(run, f"{number:02}_after_{name}", name, about=about, step=step.id))
            _write(directory, stages[-1])
    finally:
        write_if_changed(str(directory / PAGE), page(run.name, stages).encode())
    return run.finish()


def _stage(run: Run, file: str, title: str, *, about: str, step: str = "") -> Stage:
    cost = sum(entry.cost_ms for entry in run.trace if entry.step == step)
    return Stage(f"{file}.py", title, about, str(run.program()).rstrip("\n") + "\n", cost)


def _write(directory: Path, stage: Stage) -> None:
    write_if_changed(str(directory / stage.file), stage.text.encode())
