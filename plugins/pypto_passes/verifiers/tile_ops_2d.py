# SPDX-License-Identifier: Apache-2.0
"""TileOps2D: kernels compute with tiles of at most two dimensions, in forms that instructions exist for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pypto_build.errors import Diagnostic
from pypto_build.ir import AssignStmt, Call, EvalStmt, FunctionType, MakeTuple, Program, TileType, Type, collect
from pypto_build.passes import PassContext

KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)
VIEWS = ("tile.reshape", "tile.reinterpret_view")
"""Operations that only say how many dimensions a tile is seen with."""


def verify_tile_ops_2d(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every tile operation in a kernel with an operand or a result of more dimensions."""
    del context
    for function in program.functions.values():
        if function.func_type not in KERNELS:
            continue
        for stmt in collect(function.body, AssignStmt, EvalStmt):
            call = stmt.value if isinstance(stmt, AssignStmt) else stmt.expr
            if isinstance(call, Call) and call.op.name.startswith("tile."):
                for problem in _problems(call):
                    text = f"{call.op.name} in kernel '{function.name}' {problem}"
                    yield Diagnostic("error", "TileOps2D", text, stmt.span)


def _problems(call: Call) -> Iterator[str]:
    if call.op.name not in VIEWS:
        for index, arg in enumerate(call.args):
            if _is_deep(arg.type):
                yield f"has an operand [{index}] of more than two dimensions: {arg.type}"
        if _is_deep(call.type):
            yield f"has a result of more than two dimensions: {call.type}"
    if call.op.name == "tile.transpose" and not call.args[3:]:
        yield "needs a scratch tile"
    if call.op.name == "tile.assemble":
        offset = call.args[2]
        if not isinstance(offset, MakeTuple):
            yield "needs its offset as a literal tuple of row and column"
        elif len(offset.elements) > 2:
            yield f"has an offset of {len(offset.elements)} dimensions: row and column are read, the rest is not"


def _is_deep(kind: Type) -> bool:
    return isinstance(kind, TileType) and len(kind.shape) > 2
