# SPDX-License-Identifier: Apache-2.0
"""Operations whose arguments or place the front end must look at itself."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final, cast

from pypto_build.dsl.arguments import read_arguments
from pypto_build.dsl.built import built
from pypto_build.dsl.context import Context
from pypto_build.dsl.deps import read_deps
from pypto_build.dsl.diagnostics import InvalidOperationError, ParserSyntaxError, ParserTypeError
from pypto_build.dsl.window_buffers import refuse_unassigned
from pypto_build.ir import (
    EMPTY_MAP,
    Call,
    DistributedTensorType,
    Expr,
    Op,
    SplitMode,
    TensorType,
    TileType,
    frozen_map,
    rebuilt,
)

SpecialCall = Callable[[Context, ast.Call, str], object]


def _task_dummy(context: Context, call: ast.Call, name: str) -> object:
    """`pl.system.task_dummy(deps=[...])`: a task that does nothing but wait."""
    deps: ast.expr | None = None
    attrs: dict[str, object] = {"dummy_task": True}
    for keyword in call.keywords:
        if keyword.arg == "attrs":
            attrs.update(cast("dict[str, object]", context.value(keyword.value)))
            continue
        if keyword.arg != "deps":
            context.fail(ParserTypeError, f"{name}() got an unexpected keyword argument '{keyword.arg}'", keyword)
        deps = keyword.value
    if call.args:
        context.fail(ParserTypeError, f"{name}() takes no positional arguments", call)
    if deps is None:
        context.fail(ParserTypeError, f"{name}() requires keyword argument 'deps'; write deps=[] for none", call)
    edges = read_deps(context, deps)
    if edges:
        attrs["manual_dep_edges"] = edges
    builder = context.operation("system", "task_invalid")  # its type is the task's
    kind = builder(span=context.span(call)).type
    return Call(Op("system.task_dummy"), (), EMPTY_MAP, frozen_map(attrs), kind, context.span(call))


def _split_transfer(context: Context, call: ast.Call, name: str) -> object:
    """`pl.aiv_shard(x)` and `pl.aic_gather(x)`: the way x is split is that of the region around."""
    operation = name.rpartition(".")[2]
    if call.keywords:
        context.fail(ParserSyntaxError, f"{name}() does not take a mode: pl.split_aiv() says it", call.keywords[0])
    if len(call.args) != 1:
        context.fail(ParserSyntaxError, f"{name}() takes exactly one positional argument", call)
    mode = context.split_mode
    if mode is None:
        context.fail(ParserSyntaxError, f"{name}() is only available inside a pl.split_aiv() region", call)
    operand = context.expr(call.args[0])
    if isinstance(operand.type, DistributedTensorType):
        context.fail(ParserSyntaxError, f"{name}() does not take a distributed tensor", call.args[0])
    if not isinstance(operand.type, TensorType | TileType):
        context.fail(ParserSyntaxError, f"{name}() takes a tensor or a tile, got {operand.type}", call.args[0])
    namespace = "tile" if isinstance(operand.type, TileType) else "tensor"
    options = {"split": mode.value}
    return built(context, call, (namespace, operation), operand, options=options, kind=InvalidOperationError)


def _tile_split_transfer(context: Context, call: ast.Call, name: str) -> object:
    """`pl.tile.aiv_shard(x, split=1)` of a kernel that has been outlined, or the region's form."""
    arguments = read_arguments(context, call)
    operand = arguments.positional[0] if arguments.positional else None
    namespace, _, operation = name.removeprefix("pl.").rpartition(".")
    if isinstance(operand, Expr) and namespace == "tile" and not isinstance(operand.type, TileType):
        context.fail(
            ParserSyntaxError,
            f"{name}() is tile-only, got {operand.type}",
            call,
            hint="Use it on tensors inside a pl.split_aiv() region: pl.aiv_shard(x)",
        )
    split = arguments.named.get("split")
    mode = SplitMode(split) if isinstance(split, int) else context.split_mode
    if not isinstance(operand, Expr) or mode is None:
        context.fail(ParserSyntaxError, f"{name}() needs split=, or a pl.split_aiv() region around it", call)
    options = {"split": mode.value}
    made = built(context, call, (namespace, operation), operand, options=options, kind=InvalidOperationError)
    changes: dict[str, object] = {}
    if isinstance(made, Call) and "lane_stride" in arguments.named:  # how far apart the lanes' parts lie
        changes["kwargs"] = frozen_map({**made.kwargs, "lane_stride": arguments.named["lane_stride"]})
    attrs = arguments.named.get("attrs")
    if isinstance(attrs, dict):
        changes["attrs"] = frozen_map(cast("dict[str, object]", attrs))
    return rebuilt(made, changes) if changes else made


def _op(context: Context, call: ast.Call, name: str) -> object:
    """`pl.Op("name")`, as attributes may hold it"""
    value = context.value(call.args[0]) if len(call.args) == 1 else None
    if not isinstance(value, str):
        context.fail(ParserSyntaxError, f"{name}() takes the name of an operation", call)
    return Op(value)


def _unassigned(context: Context, call: ast.Call, name: str) -> object:
    del name
    return refuse_unassigned(context, call)


SPECIAL_CALLS: Final[Mapping[tuple[str, ...], SpecialCall]] = {
    ("pl", "system", "task_dummy"): _task_dummy,
    ("pl", "aiv_shard"): _split_transfer,
    ("pl", "aic_gather"): _split_transfer,
    ("pl", "tile", "aiv_shard"): _tile_split_transfer,
    ("pl", "tile", "aic_gather"): _tile_split_transfer,
    ("pl", "tensor", "aiv_shard"): _tile_split_transfer,
    ("pl", "tensor", "aic_gather"): _tile_split_transfer,
    ("pl", "Op"): _op,
    ("pld", "alloc_window_buffer"): _unassigned,
    ("pld", "tensor", "alloc_window_buffer"): _unassigned,
}
