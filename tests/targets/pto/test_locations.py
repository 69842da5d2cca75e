# SPDX-License-Identifier: Apache-2.0
"""The places of source lines in PTO assembly: behind every instruction if they are wanted there, or beside the text."""

from __future__ import annotations

import pytest
from pypto_simulators.pto_text.reader import read_module
from pypto_targets.pto.module import kernel_module

from pypto_build.dsl.text import parse_program
from pypto_build.host import LocationMode, TargetContext
from pypto_build.ir import Program
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B

SOURCE = """@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self):
        pl.system.bar_v()
        pl.system.bar_m()
"""
PATHS = {
    "kernels/mine.py": "kernels/mine.py",
    'q"d\\ir': 'q\\"d\\\\ir',
    "a\tb\nc": "a\\tb\\nc",
    "bell\x07\x7f": "bell\\07\\7F",
    "größe.py": "größe.py",
}


def emitted(written: Program, locations: LocationMode) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The module, and pairs of a line of it and a line of the source."""
    context = TargetContext(ASCEND910B, builtin_registry(), locations)
    text, places = kernel_module(tuple(written.functions.values()), context)
    return text, tuple((number, span.begin_line) for number, span in places)


@pytest.mark.parametrize(("path", "escaped"), PATHS.items())
def test_a_path_is_escaped_and_read_again_as_it_was(path: str, escaped: str):
    made, _ = emitted(parse_program(SOURCE, path), "inline")
    barrier = next(line for line in made.splitlines() if "<PIPE_V>" in line)
    assert barrier.strip() == f'pto.barrier <PIPE_V> loc("{escaped}":5:9)'
    (kernel,) = read_module("main.pto", made).kernels
    assert kernel.body.operations[0].span.filename == path


def test_a_map_of_places_stands_beside_the_text():
    text, places = emitted(parse_program(SOURCE), "map")
    lines = text.splitlines()
    assert "loc(" not in text
    assert {lines[number - 1].strip(): source for number, source in places} == {
        "pto.barrier <PIPE_V>": 5,
        "pto.barrier <PIPE_M>": 6,
    }
