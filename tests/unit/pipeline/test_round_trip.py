# SPDX-License-Identifier: Apache-2.0
"""Verification level `roundtrip`: what a pass makes must be writable and readable."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest
from pypto_build.ir import BreakStmt, Function, rebuilt, sequence
from pypto_build.passes import Callees, FunctionPass, PassContext, Verification, VerifierRegistry
from pypto_build.passes.verifier import VerificationError
from pypto_build.pipeline.run import Run
from pypto_build.pipeline.step import Step
from pypto_build.testing import body

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "branch.py"


@dataclass(frozen=True, slots=True)
class Unwritable(FunctionPass):
    """Leave a loop where there is none."""

    name: ClassVar[str] = "Unwritable"

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        del callees, context
        return rebuilt(function, {"body": sequence([BreakStmt(), function.body])})


def run(level: str) -> None:
    context = PassContext()
    program = body("@pl.function\ndef f(self, n: pl.Scalar[pl.INDEX]):", "m = n + 1\nreturn m")
    verification = Verification(VerifierRegistry({}), context, level=level)
    Run(program, context, verification=verification).step(Step("unwritable", Unwritable(), "code"))


def test_what_cannot_be_read_back_is_a_bug_of_the_pass():
    with pytest.raises(VerificationError, match="what 'Unwritable' made prints as text that cannot be read"):
        run("roundtrip")


def test_the_lower_level_does_not_look():
    run("basic")


def test_an_example_passes_at_the_highest_level(tmp_path: Path):
    pipeline = "{schema: 1, extends: default, verify: roundtrip}"
    done = compile_source(CompileRequest(str(EXAMPLE), str(tmp_path / "branch.ptobj"), pipeline=pipeline))
    assert done.passes_run > 0
