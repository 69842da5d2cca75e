# SPDX-License-Identifier: Apache-2.0
"""Finding the pass that changes what a program computes, with passes that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pypto_build.driver.check import CheckRequest, CheckResult, check_source
from pypto_build.errors import UserError

SOURCE = """
import pypto.language as pl


@pl.program
class Two:
    @pl.function(type=pl.FunctionType.InCore)
    def first(
        self, x: pl.Tensor[[4, 8], pl.FP32], out: pl.Out[pl.Tensor[[4, 8], pl.FP32]]
    ) -> pl.Tensor[[4, 8], pl.FP32]:
        return pl.store(pl.add(pl.load(x, [0, 0], [4, 8]), 1.0), [0, 0], out)

    @pl.function(type=pl.FunctionType.InCore)
    def second(
        self, x: pl.Tensor[[4, 8], pl.FP32], out: pl.Out[pl.Tensor[[4, 8], pl.FP32]]
    ) -> pl.Tensor[[4, 8], pl.FP32]:
        return pl.store(pl.mul(pl.load(x, [0, 0], [4, 8]), 2.0), [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[4, 8], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[4, 8], pl.FP32]]
    ) -> pl.Tensor[[4, 8], pl.FP32]:
        middle = pl.create_tensor([4, 8], dtype=pl.FP32)
        middle = self.first(x, middle)
        for i in pl.range(n):
            middle = self.first(middle, middle)
        out = self.second(middle, out)
        return out
"""

PLUGIN = """
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.host import hookimpl
from pypto_build.ir import Call, ConstFloat, Rewriter
from pypto_build.passes import FunctionPass, IRProperty


@hookimpl
def pypto_register_passes() -> Mapping[str, str]:
    return {"harmless": ":Harmless", "slightly_wrong": ":SlightlyWrong", "broken": ":Broken", "place": ":Place"}


class _Constants(Rewriter):
    def __init__(self, old, new):
        super().__init__()
        self.old, self.new = old, new

    def visit_const_float(self, node):
        return ConstFloat(self.new, node.dtype, node.span) if node.value == self.old else node


@dataclass(frozen=True, slots=True)
class Harmless(FunctionPass):
    name: ClassVar[str] = "Harmless"

    def run(self, function, callees, context):
        return function


@dataclass(frozen=True, slots=True)
class Place(Harmless):
    name: ClassVar[str] = "Place"
    produces = frozenset({IRProperty.AllocatedMemoryAddr})


@dataclass(frozen=True, slots=True)
class SlightlyWrong(FunctionPass):
    name: ClassVar[str] = "SlightlyWrong"
    amount: float = 2.5

    def run(self, function, callees, context):
        return _Constants(2.0, self.amount).visit(function)


@dataclass(frozen=True, slots=True)
class Broken(FunctionPass):
    name: ClassVar[str] = "Broken"

    def run(self, function, callees, context):
        return function.replace(params=function.params[:1], param_directions=function.param_directions[:1])
"""


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., CheckResult]:
    """Check the program with a pipeline of these passes."""
    (tmp_path / "wrong.py").write_text(PLUGIN, encoding="utf-8")

    def run(passes: str, *, source: str = SOURCE, **options: object) -> CheckResult:
        (tmp_path / "two.py").write_text(source, encoding="utf-8")
        text = f"schema: 1\nhardware: ascend910b\nplugins: [./wrong.py]\npasses: {passes}\nsimulator: functional\n"
        (tmp_path / "pipeline.yaml").write_text(text, encoding="utf-8")
        golden = tmp_path / "golden.py"
        if "golden" in options:
            golden.write_text(str(options.pop("golden")), encoding="utf-8")
            options["golden"] = str(golden)
        return check_source(CheckRequest(str(tmp_path / "two.py"), str(tmp_path / "pipeline.yaml"), **options))

    return run


Check = Callable[..., CheckResult]


def test_passes_that_keep_the_answer_are_ok(check: Check) -> None:
    result = check("[harmless, convert_to_ssa]")
    assert result.ok
    assert [step.step for step in result.steps] == ["harmless", "convert_to_ssa"]
    assert result.failure is None


def test_a_pass_that_changes_nothing_is_not_run_again(check: Check) -> None:
    harmless, ssa = check("[harmless, convert_to_ssa]").steps
    assert harmless.changed == harmless.comparisons == ()
    assert [c.name for c in ssa.comparisons] == ["out"]


def test_the_first_pass_that_changes_the_answer_is_named_with_the_function_that_does_it(check: Check) -> None:
    result = check("[convert_to_ssa, slightly_wrong, harmless]")
    assert result.failure is not None
    assert result.failure.step == "slightly_wrong"
    assert result.failure.culprits == ("second",)
    assert [step.step for step in result.steps] == ["convert_to_ssa", "slightly_wrong"]


def test_the_difference_is_that_of_the_outputs(check: Check) -> None:
    result = check("[{use: slightly_wrong, options: {amount: 4.0}}]", extents=(("n", 0),))
    assert result.failure is not None
    worst = result.failure.worst
    x = np.random.default_rng(0).standard_normal((4, 8)).astype(np.float32)
    assert worst is not None
    assert worst.name == "out"
    assert worst.max_error == pytest.approx(float(np.abs((x + 1) * 2).max()), rel=1e-5)


def test_a_difference_within_the_tolerance_is_none(check: Check) -> None:
    passes = "[{use: slightly_wrong, options: {amount: 2.001}}]"
    assert not check(passes).ok
    assert check(passes, rtol=1e-2).ok


def test_a_program_that_cannot_run_any_more_is_a_change(check: Check) -> None:
    failure = check("[broken]").failure
    assert failure is not None
    assert failure.problem is not None
    assert str(failure.problem) == "main has no parameter 'n'"


def test_both_programs_around_the_failure_are_at_hand(check: Check) -> None:
    result = check("[harmless, slightly_wrong]")
    assert "2.0" in str(result.before)
    assert "2.5" in str(result.after)


def test_the_passes_after_a_given_one_do_not_run(check: Check) -> None:
    result = check("[convert_to_ssa, slightly_wrong]", until="convert_to_ssa")
    assert result.ok
    assert len(result.steps) == 1


def test_an_unknown_last_pass_is_named(check: Check) -> None:
    with pytest.raises(UserError, match="has no pass 'nothing'"):
        check("[harmless]", until="nothing")


GOLDEN = """
import numpy as np
def inputs(rng):
    return {"x": np.ones((4, 8), np.float32), "n": 2}
def expected(inputs):
    return {"out": (inputs["x"] + 3) * FACTOR}
"""


def test_a_golden_file_gives_the_inputs_and_says_what_the_source_should_compute(check: Check) -> None:
    right = check("[harmless]", golden=GOLDEN.replace("FACTOR", "2"))
    wrong = check("[harmless]", golden=GOLDEN.replace("FACTOR", "3"))
    assert right.ok
    assert not wrong.ok
    assert wrong.failure is None
    assert wrong.golden[0].max_error == 4.0


PLACED = """
import pypto.language as pl


@pl.program
class Placed:
    @pl.function(type=pl.FunctionType.AIV)
    def main(
        self, x: pl.Tensor[[2, 8], pl.FP32], out: pl.Out[pl.Tensor[[2, 8], pl.FP32]]
    ) -> pl.Tensor[[2, 8], pl.FP32]:
        m0: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 64)
        m1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 64)
        a: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m0, 0, 64), pl.Mem.Vec] = pl.load(x, [0, 0], [2, 8])
        b: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m1, 0, 64), pl.Mem.Vec] = pl.load(x, [0, 0], [2, 8])
        c: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m1, 0, 64), pl.Mem.Vec] = pl.mul(b, 2.0)
        d: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m1, 0, 64), pl.Mem.Vec] = pl.add(a, c)
        return pl.store(d, [0, 0], out)
"""


def test_two_allocations_at_one_address_are_seen_once_there_are_addresses(check: Check) -> None:
    assert check("[harmless]", source=PLACED).ok
    failure = check("[harmless, place]", source=PLACED).failure
    assert failure is not None
    assert failure.step == "place"
