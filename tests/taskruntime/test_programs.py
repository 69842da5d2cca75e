# SPDX-License-Identifier: Apache-2.0
"""Programs made for it run as their emitted C++ says, in every order that it allows, and leave what NumPy computes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from tests.taskruntime.building import built
from tests.taskruntime.compiling import DERIVING, Emitted, compiled
from tests.taskruntime.interface import Orchestration
from tests.taskruntime.programs.everything import TABLES
from tests.taskruntime.programs.table import Program
from tests.taskruntime.running import orders, run

PIPELINES = {"default": "default", "deriving": str(DERIVING)}
CASES = [(table, name) for table, programs in TABLES.items() for name in programs.programs]


@cache
def _table(table: str, pipeline: str) -> dict[str, tuple[Orchestration, Emitted]]:
    """All programs of a table, ready to run."""
    programs = TABLES[table].programs.values()
    emitted = [_emitted(program, PIPELINES[pipeline]) for program in programs]
    entries = built([one.source for one in emitted])
    pairs = zip(entries, emitted, strict=True)
    return {program.name: pair for program, pair in zip(programs, pairs, strict=True)}


def _emitted(program: Program, pipeline: str) -> Emitted:
    with TemporaryDirectory() as folder:
        source = Path(folder) / f"{program.name}.py"
        source.write_text(program.text, encoding="utf-8")
        return compiled(source, pipeline)["main"]


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize(("table", "name"), CASES)
def test_a_program_leaves_what_numpy_computes_in_every_order(table: str, name: str, pipeline: str):
    program = TABLES[table].programs[name]
    entry, emitted = _table(table, pipeline)[name]
    for order in orders():
        outcome = run(entry, emitted.kernels, program.inputs(), order=order)
        assert outcome.missing() == [], order.name
        for param, wanted in program.expected().items():
            np.testing.assert_allclose(outcome.outputs[param], wanted, 1e-5, 1e-5, err_msg=f"{param} {order.name}")


def test_there_are_programs_enough():
    assert len(CASES) >= 40
