# SPDX-License-Identifier: Apache-2.0
"""What a core keeps of a kernel of both cores: its effects, and what they need of the rest."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.core_slices import core_slice
from pypto_passes.cross_core_transfers import TransferExpander
from pypto_passes.flatten_call_expr import FlattenCallExpr

from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, EvalStmt, ForStmt, Function, IfStmt, WhileStmt, collect, rebuilt
from pypto_build.ops import builtin_registry
from pypto_build.ops.definition import CoreAffinity
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"
OPS = builtin_registry()
PRODUCT = """
m = pl.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
c = pl.matmul(pl.move(m, target_memory=pl.Mem.Left), pl.move(m, target_memory=pl.Mem.Right))
""".lstrip()
VECTOR_STORE = "out = pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)"


def indented(columns: int) -> str:
    """The product at a depth of a text, whose first line is there already."""
    return PRODUCT.replace("\n", "\n" + " " * columns)


def sliced(text: str, side: CoreAffinity) -> Function:
    """The kernel with the body that a core keeps."""
    body = indent(dedent(text).strip("\n"), "    ")
    header = f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, x: {T}, out: pl.Out[{T}]) -> {T}:\n"
    made = apply_pass(FlattenCallExpr(), apply_pass(ConvertToSSA(), programs.program(header + body)))
    function: Function = TransferExpander().visit(programs.method(made, "kernel"))
    return rebuilt(function, {"body": core_slice(function, side, OPS)})


def calls_in(function: Function) -> list[Call]:
    """The calls of a body in order."""
    return [call for stmt in collect(function.body, AssignStmt, EvalStmt) for call in collect(stmt, Call)]


def operations(text: str, side: CoreAffinity) -> list[str]:
    """The operations that a core keeps, in order."""
    return [call.op.name.partition(".")[2] for call in calls_in(sliced(text, side))]


CUBE, VECTOR = CoreAffinity.CUBE, CoreAffinity.VECTOR


def test_what_nobody_needs_on_a_core_is_not_computed_there():
    text = f"{PRODUCT}a = pl.load(x, [0, 0], [16, 16])\nb = pl.exp(a)\nout = pl.store(a, [0, 0], out)\nreturn out"
    assert operations(text, VECTOR) == ["load", "store"]
    assert operations(text, CUBE) == []


def test_a_pop_stays_even_if_nobody_reads_the_tile():
    text = f"{PRODUCT}v = pl.move(c, target_memory=pl.Mem.Vec)\nreturn out"
    assert operations(text, VECTOR) == ["tpop_from_aic"]
    assert operations(text, CUBE)[-1] == "tpush_to_aiv"


def test_both_cores_compute_the_scalars_that_they_need():
    text = f"""
    n = pl.tile.get_block_idx() * 16
    a = pl.load(x, [n, 0], [16, 16])
    out = pl.store(a, [n, 0], out)
    {indented(4).replace("[0, 0], [16", "[n, 0], [16")}
    out = pl.store(c, [n, 0], out)
    return out
    """
    assert operations(text, CUBE)[0] == operations(text, VECTOR)[0] == "get_block_idx"


def test_a_tensor_that_the_other_core_stores_to_is_what_it_was_before():
    text = f"{PRODUCT}out = pl.store(c, [0, 0], out)\n{VECTOR_STORE}\nreturn out"
    kept = sliced(text, VECTOR)
    (store,) = (call for call in calls_in(kept) if call.op.name == "tile.store")
    assert store.args[2] is kept.params[1]


def test_a_loop_in_which_only_the_other_core_stores_goes():
    text = f"""
    for i in pl.range(4):
        {indented(8)}
        out = pl.store(c, [0, 0], out)
    {VECTOR_STORE}
    return out
    """
    assert collect(sliced(text, VECTOR), ForStmt) == []
    assert len(collect(sliced(text, CUBE), ForStmt)[0].iter_args) == 1


def test_a_carried_tile_stays_where_it_is_computed():
    text = f"""
    acc = pl.tile.full([16, 16], dtype=pl.FP32, value=0.0)
    for i in pl.range(4):
        {indented(8)}
        acc = pl.add(acc, pl.move(c, target_memory=pl.Mem.Vec))
    out = pl.store(acc, [0, 0], out)
    return out
    """
    assert [len(collect(sliced(text, side), ForStmt)[0].iter_args) for side in (CUBE, VECTOR)] == [0, 1]
    assert operations(text, CUBE).count("tpush_to_aiv") == operations(text, VECTOR).count("tpop_from_aic") == 1


def test_a_branch_stays_on_the_core_that_does_something_in_it():
    text = f"""
    {indented(4)}
    if pl.tile.get_block_idx() > 0:
        out = pl.store(c, [0, 0], out)
    return out
    """
    assert len(collect(sliced(text, CUBE), IfStmt)) == 1
    assert collect(sliced(text, VECTOR), IfStmt) == []


def test_branches_that_store_the_same_tensor_elsewhere_merge_to_what_it_was():
    text = f"""
    {indented(4)}
    if pl.tile.get_block_idx() > 0:
        out = pl.store(c, [0, 0], out)
    else:
        out = pl.store(c, [0, 0], out)
    a = pl.load(out, [0, 0], [16, 16])
    out = pl.store(a, [0, 0], out)
    return out
    """
    kept = sliced(text, VECTOR)
    assert [call.args[0] is kept.params[1] for call in calls_in(kept) if call.op.name == "tile.load"] == [True]


def test_a_loop_with_a_condition_keeps_what_the_condition_reads():
    text = f"""
    n = 0
    while n < 3:
        {indented(8)}
        out = pl.store(c, [0, 0], out)
        n = n + 1
    return out
    """
    kept = sliced(text, CUBE)
    assert len(collect(kept, WhileStmt)[0].iter_args) == 2
    assert collect(sliced(text, VECTOR), WhileStmt) == []


def test_a_tile_of_the_other_core_cannot_be_had():
    text = f"""
    {indented(4)}
    if pl.tile.read(pl.load(x, [0, 0], [16, 16]), [0, 0]) > 0.0:
        out = pl.store(c, [0, 0], out)
    return out
    """
    with pytest.raises(UserError, match="which the vector core computes") as caught:
        sliced(text, CUBE)
    assert caught.value.code == "CORE002"
