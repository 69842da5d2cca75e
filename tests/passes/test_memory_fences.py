# SPDX-License-Identifier: Apache-2.0
"""A vector core that loads what the cube core stored waits for a message."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.flatten_call_expr import FlattenCallExpr
from pypto_passes.memory_fences import with_fences

from pypto_build.ir import AssignStmt, EvalStmt, ForStmt, Function, IfStmt, collect, statements
from pypto_build.ops import builtin_registry
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"
OPS = builtin_registry()
PRODUCT = """
m = pl.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
c = pl.matmul(pl.move(m, target_memory=pl.Mem.Left), pl.move(m, target_memory=pl.Mem.Right))
"""
STORE = "scratch = pl.store(c, [0, 0], scratch)\n"
READ = "out = pl.store(pl.load(scratch, [0, 0], [16, 16]), [0, 0], out)\n"


def kernel(text: str) -> Function:
    """A kernel with a tensor that both cores use."""
    body = indent(dedent(text).strip("\n"), "    ")
    header = (
        f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, x: {T}, scratch: pl.Out[{T}], out: pl.Out[{T}])"
    )
    made = programs.program(f"{header} -> {T}:\n{body}\n    return out")
    return programs.method(apply_pass(FlattenCallExpr(), apply_pass(ConvertToSSA(), made)), "kernel")


def fenced(text: str) -> list[str]:
    """The operations and kinds of the statements of the fenced kernel."""
    stmts = statements(with_fences(kernel(text), OPS).body)
    values = [s.value if isinstance(s, AssignStmt) else s.expr if isinstance(s, EvalStmt) else None for s in stmts]
    named = zip(stmts, values, strict=True)
    return [value.op.name.partition(".")[2] if value is not None else type(stmt).__name__ for stmt, value in named]


def test_the_message_follows_the_store_and_precedes_the_load():
    assert fenced(PRODUCT + STORE + READ)[-6:] == [
        "store",
        "tpush_to_aiv",
        "tpop_from_aic",
        "load",
        "store",
        "ReturnStmt",
    ]


@pytest.mark.parametrize(
    ("header", "kind"), [("for i in pl.range(4):", ForStmt), ("if pl.tile.get_block_idx() > 0:", IfStmt)]
)
def test_one_message_stands_in_front_of_what_the_load_is_in(header: str, kind: type):
    made = fenced(f"{PRODUCT}{STORE}{header}\n    {READ}")
    assert made[-3:] == ["tpop_from_aic", kind.__name__, "ReturnStmt"]
    assert made.count("tpush_to_aiv") == 1


def test_two_stores_send_two_messages():
    made = fenced(f"{PRODUCT}{STORE}{STORE}{READ}")
    assert made.count("tpush_to_aiv") == made.count("tpop_from_aic") == 2


def test_a_load_in_another_block_than_the_store_has_no_message():
    text = f"{PRODUCT}for i in pl.range(4):\n    {STORE}{READ}"
    function = kernel(text)
    assert with_fences(function, OPS) is function


@pytest.mark.parametrize(
    "text", [PRODUCT + STORE, PRODUCT + STORE + READ.replace("scratch", "x"), READ + PRODUCT + STORE]
)
def test_without_a_load_behind_the_store_nothing_changes(text: str):
    function = kernel(READ + PRODUCT + text)
    assert with_fences(function, OPS) is function


def test_the_message_is_the_stored_tile_and_lands_in_the_vector_memory():
    made = with_fences(kernel(PRODUCT + STORE + READ), OPS)
    (token,) = (stmt.var for stmt in collect(made, AssignStmt) if stmt.var.name_hint == "sync_tile")
    assert str(token.type).endswith("pl.Mem.Vec]")
