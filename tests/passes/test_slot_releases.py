# SPDX-License-Identifier: Apache-2.0
"""Slots of popped tiles go back behind the last statement that reads the tile, whatever it is called there."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.slot_releases import with_releases

from pypto_build.ir import AssignStmt, EvalStmt, ForStmt, IfStmt, ReturnStmt, Stmt, collect, statements
from pypto_build.ops import builtin_registry
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"
POP = "v: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)"


def released(text: str) -> Stmt:
    """The body of a vector kernel with its releases."""
    body = indent(dedent(text).strip("\n"), "    ")
    header = f"@pl.function(type=pl.FunctionType.AIV)\ndef kernel(self, x: {T}, out: pl.Out[{T}]) -> {T}:\n"
    made = apply_pass(ConvertToSSA(), programs.program(header + body))
    return with_releases(programs.method(made, "kernel").body, builtin_registry())


def shape(body: Stmt) -> list[str]:
    """The statements of a block: operations without their level, else the kind of statement."""
    return [name(stmt) for stmt in statements(body)]


def name(stmt: Stmt) -> str:
    """What a statement does."""
    value = stmt.value if isinstance(stmt, AssignStmt) else stmt.expr if isinstance(stmt, EvalStmt) else None
    op = getattr(value, "op", None)
    return type(stmt).__name__ if op is None else op.name.partition(".")[2]


def test_a_slot_goes_back_behind_the_last_reader():
    body = released(f"{POP}\ne = pl.exp(v)\ns = pl.add(v, e)\nout = pl.store(s, [0, 0], out)\nreturn out")
    assert shape(body) == ["tpop_from_aic", "exp", "add", "tfree_to_aic", "store", "ReturnStmt"]


def test_a_tile_that_nobody_reads_goes_back_at_once():
    assert shape(released(f"{POP}\nreturn out")) == ["tpop_from_aic", "tfree_to_aic", "ReturnStmt"]


def test_a_view_of_a_tile_is_the_tile():
    body = released(f"{POP}\nr = pl.reshape(v, [8, 32])\ne = pl.exp(r)\nreturn out")
    assert shape(body) == ["tpop_from_aic", "reshape", "exp", "tfree_to_aic", "ReturnStmt"]


def test_a_result_of_a_branch_may_be_the_tile():
    body = released(f"""
    {POP}
    if pl.tile.get_block_idx() > 0:
        w = pl.exp(v)
    else:
        w = v
    out = pl.store(w, [0, 0], out)
    return out
    """)
    assert shape(body)[-3:] == ["store", "tfree_to_aic", "ReturnStmt"]


def test_a_carried_tile_may_be_one_of_an_earlier_iteration():
    body = released("""
    first: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)
    for i, (w,) in pl.range(4, init_values=(first,)):
        e = pl.exp(w)
        last = pl.yield_(w)
    out = pl.store(last, [0, 0], out)
    return out
    """)
    assert shape(body)[-3:] == ["store", "tfree_to_aic", "ReturnStmt"]


@pytest.mark.parametrize("kind", ["branch", "loop"])
def test_a_slot_goes_back_before_its_block_ends(kind: str):
    header = "if pl.tile.get_block_idx() > 0:" if kind == "branch" else "for i in pl.range(4):"
    body = released(
        f"a = pl.load(x, [0, 0], [16, 16])\n{header}\n    {POP}\n    a = v\nout = pl.store(a, [0, 0], out)\nreturn out"
    )
    (inner,) = collect(body, IfStmt, ForStmt)
    block = inner.then_body if isinstance(inner, IfStmt) else inner.body
    assert shape(block)[-2:] == ["tfree_to_aic", "YieldStmt"]


def test_a_release_that_comes_too_early_is_put_off():
    body = released(f"{POP}\npl.system.tfree_to_aic(v, id=3)\ne = pl.exp(v)\nreturn out")
    assert shape(body) == ["tpop_from_aic", "exp", "tfree_to_aic", "ReturnStmt"]
    assert statements(body)[2].expr.kwargs["id"] == 3


def test_a_later_release_stays_where_it_is_and_names_the_popped_tile():
    body = released(f"{POP}\nw = v\na = pl.load(x, [0, 0], [16, 16])\npl.system.tfree_to_aic(w)\nreturn out")
    assert shape(body) == ["tpop_from_aic", "AssignStmt", "load", "tfree_to_aic", "ReturnStmt"]
    assert statements(body)[3].expr.args[0] is statements(body)[0].var


def test_a_release_in_a_branch_is_left_to_the_kernel():
    body = released(f"{POP}\nif pl.tile.get_block_idx() > 0:\n    pl.system.tfree_to_aic(v)\nreturn out")
    assert shape(body) == ["tpop_from_aic", "IfStmt", "ReturnStmt"]


def test_the_slot_goes_back_to_its_pipe():
    body = released(f"{POP.replace('split=0', 'split=0, id=2')}\nreturn out")
    assert statements(body)[1].expr.kwargs["id"] == 2


def test_a_body_without_popped_tiles_stays_as_it_is():
    body = released("return out")
    assert isinstance(body, ReturnStmt)
    assert with_releases(body, builtin_registry()) is body
