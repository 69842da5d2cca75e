# SPDX-License-Identifier: Apache-2.0
"""What may stand in a region that is divided between vector cores, and how values cross its borders."""

from __future__ import annotations

from textwrap import indent

import pytest
from pypto_passes.verifiers.aiv_split_valid import verify_aiv_split_valid

from pypto_build.ir import Call, MemorySpace, Program, SplitAivScopeStmt, SplitMode, collect
from pypto_build.passes import PassContext
from tests.passes import programs
from tests.unit.ir.build import assign, function, op, program, seq, tile

T = "pl.Tensor[[16, 16], pl.FP32]"
ACC, VEC, MAT = MemorySpace.Acc, MemorySpace.Vec, MemorySpace.Mat
REGION = "for lane in pl.split_aiv(2, mode=pl.SplitMode.{}):"
LOAD = "a = pl.tile.load(x, [0, 0], [16, 16])\n"
PRODUCT = """
l = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Left)
r = pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Right)
c = pl.tile.matmul(l, r)
""".lstrip()


IN_REGION = "cube op tile.matmul in a pl.split_aiv region: a region body is AIV work"


def kernel(text: str, kind: str = "AIV") -> Program:
    """A kernel."""
    head = f"@pl.function(type=pl.FunctionType.{kind})\ndef kernel(self, x: {T}, out: pl.Out[{T}]):\n"
    return programs.program(head + indent(text, "    "))


def region(text: str, mode: str = "UP_DOWN") -> str:
    """A divided region."""
    return f"{REGION.format(mode)}\n{indent(text, '    ')}\n"


def problems(made: Program | str) -> list[str]:
    """What the verifier says."""
    made = kernel(made) if isinstance(made, str) else made
    return [found.message for found in verify_aiv_split_valid(made, PassContext())]


def test_vector_work_in_a_region_is_fine():
    assert problems(region(LOAD + "b = pl.tile.adds(a, 1.0)")) == []


def test_a_matrix_product_in_a_divided_region_is_reported():
    assert problems(region(PRODUCT)) == [f"{IN_REGION}, and each lane holds only half the tile"]


def test_a_matrix_product_in_a_region_that_is_not_divided_is_reported_too():
    assert problems(region(PRODUCT, "NONE")) == [IN_REGION]


def test_a_matrix_product_outside_is_fine():
    assert problems(PRODUCT + region(LOAD)) == []


@pytest.mark.parametrize(
    ("reduction", "mode", "wrong"),
    [
        ("col_max", "UP_DOWN", True),
        ("row_max", "LEFT_RIGHT", True),
        ("col_max", "LEFT_RIGHT", False),
        ("row_max", "UP_DOWN", False),
        ("col_max", "NONE", False),
    ],
)
def test_a_reduction_over_the_divided_axis_is_reported(reduction: str, mode: str, wrong: bool):
    found = problems(
        region(f"{LOAD}t = pl.tile.adds(a, 0.0)\nb = pl.tile.{reduction}(a{', t' * ('row' in reduction)})", mode)
    )
    text = (
        f"tile.{reduction} reduces over the split axis of its pl.split_aiv region: each lane has a part of the result"
    )
    assert found == ([text] if wrong else [])


def test_vector_work_outside_is_reported_where_a_region_exists():
    (found,) = problems(LOAD + "b = pl.tile.adds(a, 1.0)\n" + region(LOAD.replace("a =", "d =")))
    assert found.startswith("vector op tile.adds stands outside every pl.split_aiv region of a function that has one")


def test_vector_work_in_a_function_without_regions_is_fine():
    assert problems(LOAD + "b = pl.tile.adds(a, 1.0)") == []


def test_loads_and_stores_may_stand_outside():
    """The compiler moves them there."""
    text = LOAD + region("b = pl.tile.adds(a, 1.0)") + "s = pl.tile.store(b, [0, 0], out)"
    assert problems(text) == []


def border(name: str, source: MemorySpace, target: MemorySpace, *, inside: bool = True) -> list[str]:
    """What is said of a crossing from one memory into another."""
    given, made = tile("g", 16, 16, space=source), tile("m", 16, 16, space=target)
    crossing = assign(made, op(name, given, type=made.type, split=0))
    body = SplitAivScopeStmt(seq(crossing), SplitMode.NONE) if inside else crossing
    return problems(program(function("k", (given,), body)))


@pytest.mark.parametrize(("name", "source", "target"), [("aiv_shard", ACC, VEC), ("aic_gather", VEC, MAT)])
def test_a_crossing_in_a_region_between_the_right_memories_is_fine(name: str, source: MemorySpace, target: MemorySpace):
    assert border(f"tile.{name}", source, target) == []


@pytest.mark.parametrize(
    ("name", "source", "target", "message"),
    [
        ("aiv_shard", VEC, VEC, "the tile.aiv_shard operand is in Vec: it requires Acc"),
        ("aic_gather", ACC, MAT, "the tile.aic_gather operand is in Acc: it requires Vec"),
        ("aiv_shard", ACC, MAT, "the tile.aiv_shard result is in Mat: it must be Vec"),
        ("aic_gather", VEC, VEC, "the tile.aic_gather result is in Vec: it must be Mat"),
    ],
)
def test_a_crossing_between_other_memories_is_reported(
    name: str, source: MemorySpace, target: MemorySpace, message: str
):
    assert border(f"tile.{name}", source, target) == [message]


@pytest.mark.parametrize("name", ["tile.aiv_shard", "tensor.aiv_shard", "tensor.aic_gather"])
def test_a_crossing_outside_of_regions_is_reported(name: str):
    assert border(name, ACC, VEC, inside=False) == [f"{name} must appear inside a pl.split_aiv region"]


def test_a_value_of_a_region_that_the_cube_reads_must_be_gathered():
    v, c = tile("v", 16, 16, space=VEC), tile("c", 16, 16, space=ACC)
    inside = SplitAivScopeStmt(seq(assign(v, op("tile.adds", type=v.type))), SplitMode.NONE)
    made = program(function("k", (), inside, assign(c, op("tile.matmul", v, v, type=c.type))))
    assert problems(made) == ["'v' leaves its pl.split_aiv region for tile.matmul on the cube core: pl.aic_gather it"]


def test_a_value_of_the_cube_that_a_region_reads_must_be_sharded():
    (found,) = problems(PRODUCT + region("b = pl.tile.adds(c, 1.0)", "NONE"))
    assert found == "'c' of the cube core enters a pl.split_aiv region for tile.adds: pl.aiv_shard it"


def test_a_region_written_in_a_kernel_is_reported_where_it_stands():
    made = kernel(region(LOAD), "InCore")
    (found,) = verify_aiv_split_valid(made, PassContext())
    text = "pl.split_aiv opens a CORE_GROUP-level region and cannot stand in InCore function 'kernel'"
    assert found.message == f"{text}: write it in a pl.at(level=pl.Level.CORE_GROUP) scope"
    assert found.span == collect(made, SplitAivScopeStmt)[0].span


def test_reports_stand_where_the_operation_stands():
    made = kernel(region(PRODUCT))
    (found,) = verify_aiv_split_valid(made, PassContext())
    assert found.span == next(call.span for call in collect(made, Call) if call.op.name == "tile.matmul")
