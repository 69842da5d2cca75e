# SPDX-License-Identifier: Apache-2.0
"""The printer and the front end are inverses: for every example, before and after every pass of every pipeline."""

from __future__ import annotations

import pytest

from pypto_build.deep_stack import on_deep_stack
from pypto_build.driver.load import load_source
from pypto_build.driver.toolchain import toolchain
from pypto_build.dsl.text import parse_program
from pypto_build.ir import Program, first_difference
from pypto_build.ops import reading_with
from pypto_build.passes import apply_pass
from tests.pipelines.test_shipped_pipelines import ACCEPTED, ARGUMENTS, EXAMPLES


def assert_reads_back(program: Program, after: str) -> None:
    """The text of a program reads as the same program, and prints as the same text."""
    text = str(program)
    read = parse_program(text, f"<after {after}>")
    difference = first_difference(read, program, enable_auto_mapping=True)
    assert difference is None, f"after {after}: {difference.reason} at {difference.path}\n{text}"
    assert str(read) == text, f"after {after}"


def read_back_everywhere(pipeline: str, name: str) -> int:
    """Check an example before any pass and after every pass; how many programs that were."""
    tools = toolchain(pipeline)
    with reading_with(tools.ops):
        program = load_source(EXAMPLES / f"{name}.py", arguments=tuple(ARGUMENTS.get(name, ()))).program
        assert_reads_back(program, "loading")
        context = tools.context()
        for step in tools.steps:
            after = apply_pass(step.pass_, program, context)
            if after is not program:
                assert_reads_back(after, step.pass_.name)
            program = after
        return len(tools.steps) + 1


@pytest.mark.parametrize(("pipeline", "name"), ACCEPTED)
def test_what_every_pass_makes_is_read_back_exactly(pipeline: str, name: str) -> None:
    assert on_deep_stack(lambda: read_back_everywhere(pipeline, name)) > 10
