# SPDX-License-Identifier: Apache-2.0
"""A call of every operation of the registry, found by trying operands of the kinds that its arguments ask for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from pypto_build import ir
from pypto_build.ir import DataType, MemorySpace, PadValue, TensorLayout, TileLayout
from pypto_build.ops import OpDef
from pypto_build.ops.definition import KwargDef
from tests.unit.ir.build import BOOL, FP16, FP32, INDEX, INT32, INT64, number, scalar
from tests.unit.ir.kernel_ops import registry

MOST_TRIES = 4_000
FP8, SCALE, UINT32, INT16 = DataType.FP8E4M3FN, DataType.FP8E8M0, DataType.UINT32, DataType.INT16


def _tensor(name: str, dtype: DataType, *shape: int) -> ir.Var:
    return ir.Var(name, ir.TensorType(ir.dims(shape), dtype))


def _tile(name: str, dtype: DataType, *shape: int, space: MemorySpace = MemorySpace.Vec) -> ir.Var:
    return ir.Var(name, ir.TileType(ir.dims(shape), dtype, None, None, space))


def _window(name: str, dtype: DataType) -> ir.Var:
    return ir.Var(name, ir.DistributedTensorType(ir.dims((16, 16)), dtype))


def _tuple(*numbers: int) -> ir.Expr:
    return ir.MakeTuple(ir.dims(numbers))


_TENSORS = (
    *(
        _tensor("t", FP32, 16, 16),
        _tensor("ti", INT32, 16, 16),
        _tensor("th", FP16, 16, 16),
        _tensor("tu", UINT32, 16, 16),
    ),
    *(
        _tensor("ts", INT16, 16, 16),
        _tensor("line", FP32, 16),
        _tensor("row", FP32, 1, 16),
        _tensor("col", FP32, 16, 1),
    ),
    *(_tensor("workspace", INT64, 256), _tensor("rows", INT32, 1, 16), _tensor("wide", FP32, 16, 32)),
    _tensor("counts", INT32, 16),
)
_TILES = (
    *(_tile("v", FP32, 16, 16), _tile("vi", INT32, 16, 16), _tile("vh", FP16, 16, 16), _tile("vr", FP32, 1, 16)),
    *(_tile("vc", FP32, 16, 1), _tile("vu", UINT32, 16, 16), _tile("v8", DataType.UINT8, 16, 16)),
    *(_tile("vs", INT16, 16, 16), _tile("vl", FP32, 1, 64), _tile("vk", UINT32, 1, 64), _tile("vw", FP32, 16, 32)),
    *(_tile("left", FP8, 16, 64, space=MemorySpace.Left), _tile("right", FP8, 64, 32, space=MemorySpace.Right)),
    _tile("left_scale", SCALE, 16, 2, space=MemorySpace.LeftScale),
    _tile("right_scale", SCALE, 2, 32, space=MemorySpace.RightScale),
    *(_tile("acc", FP32, 16, 32, space=MemorySpace.Acc), _tile("bias", FP32, 1, 32, space=MemorySpace.Bias)),
)
_OTHERS = (
    *(scalar("f", FP32), scalar("n", INT32), scalar("i", INDEX), scalar("b", BOOL)),
    *(scalar("task", DataType.TASK_ID), scalar("u", UINT32), scalar("h", FP16)),
    *(_window("w", FP32), _window("wi", INT32)),
    ir.Var("received", ir.DistributedTensorType(ir.dims((16, 1)), INT32)),
    ir.Var("array", ir.ArrayType(INT32, number(8))),
    ir.Var("ptr", ir.PTR_TYPE),
    ir.Var("ctx", ir.CommCtxType()),
    ir.Var("prefetch", ir.PrefetchAsyncContextType()),
    ir.Var("event", ir.AsyncEventType()),
    ir.Var("session", ir.AsyncSessionType()),
)
_ONE_ROW = ir.TileType(ir.dims((16, 16)), FP32, None, ir.TileView(ir.dims((1, 16))), MemorySpace.Vec)
OPERANDS = {var.name_hint: var for var in (*_TENSORS, *_TILES, *_OTHERS, ir.Var("one_row", _ONE_ROW))}
_SHAPES = [_tuple(16, 16), _tuple(0, 0), _tuple(1, 16), _tuple(16), _tuple(0)]
_CONSTANTS = [number(0), number(1), number(8), number(64, INT32)]
_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "tensor.random": ("u", "u", "u", "u", "u", "u", "[16, 16]"),
    "tile.random": ("u", "u", "u", "u", "u", "u", "[16, 16]"),
    "tile.gemv_bias": ("vr", "v", "vr"),
    "tile.gemv_acc": ("one_row", "vr", "v"),
    "tile.sels": ("vi", "v", "v", "f"),
    "pld.tensor.all_to_all_v": ("t", "w", "wi", "counts", "received"),
    "tile.matmul_mx": ("left", "left_scale", "right", "right_scale"),
    "tile.matmul_mx_acc": ("acc", "left", "left_scale", "right", "right_scale"),
    "tile.matmul_mx_bias": ("left", "left_scale", "right", "right_scale", "bias"),
    "tile.tget_scale_addr": ("left_scale", "left"),
    "tile.mrgsort_format2": ("vl", "vl", "vl"),
    "tensor.gather_row": ("t", "t", "[0, 0]", "[0, 0]", "[16, 16]"),
    "tensor.scatter_update": ("t", "rows", "t"),
}
_BY_TEXT = {"[16, 16]": _SHAPES[0], "[0, 0]": _SHAPES[1]}
_VALUES: Mapping[type, object] = {
    bool: True,
    int: 1,
    float: 1.0,
    DataType: FP32,
    MemorySpace: MemorySpace.Vec,
    TensorLayout: TensorLayout.ND,
    TileLayout: TileLayout.row_major,
    PadValue: PadValue.zero,
}
_TEXTS = {"core_type": "mix", "acc_phase": "partial", "name": "r"}
_OTHER_VALUES: Mapping[str, Mapping[str, object]] = {
    "array.create": {"dtype": INT32},
    "tile.ci": {"dtype": INT32},
    "tensor.scatter_update": {"dim": -2},
    "tile.slice": {},  # padding is for a valid shape smaller than the result
    "tensor.slice": {},
}


def example(name: str) -> ir.Call | None:
    """A call of the operation with as many attributes as it takes; None when no operands of this page fit."""
    definition = registry().get(name)
    for args, kwargs in itertools.islice(_tries(definition), MOST_TRIES):
        try:
            return registry().create_call(name, args, kwargs)
        except (ValueError, TypeError):
            continue
    return None


def _tries(definition: OpDef) -> Iterator[tuple[tuple[ir.Expr, ...], Mapping[str, object]]]:
    every = {kwarg.name: _value(kwarg) for kwarg in definition.kwargs}
    required = {kwarg.name: every[kwarg.name] for kwarg in definition.kwargs if kwarg.required}
    dtyped = {name: value for name, value in every.items() if isinstance(value, DataType | MemorySpace)}
    if "keep_dim" in every:  # the public reductions take no attributes
        every = {}
    for kwargs in (_OTHER_VALUES.get(definition.name, every), dtyped, required, {}):
        for args in _argument_lists(definition):
            yield args, kwargs


def _argument_lists(definition: OpDef) -> Iterator[tuple[ir.Expr, ...]]:
    if definition.name in _EXAMPLES:
        yield tuple(_BY_TEXT.get(text) or OPERANDS[text] for text in _EXAMPLES[definition.name])
        return
    for count in {definition.least_args, definition.most_args or definition.least_args}:
        yield from itertools.islice(itertools.product(*(_fitting(arg.kind) for arg in definition.args[:count])), 900)


def _fitting(kind: str) -> list[ir.Expr]:
    found: list[ir.Expr] = [operand for operand in OPERANDS.values() if type(operand.type).__name__ == kind]
    if kind in ("ScalarType", "ConstInt"):
        found += _CONSTANTS
    return found or (_SHAPES if "tuple" in kind.lower() else [*_SHAPES, *OPERANDS.values()])


def _value(kwarg: KwargDef) -> object:
    return _TEXTS.get(kwarg.name, "hard") if kwarg.type is str else _VALUES[kwarg.type]
