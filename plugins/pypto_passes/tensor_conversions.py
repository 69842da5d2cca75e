# SPDX-License-Identifier: Apache-2.0
"""How one tensor operation of a kernel becomes tile operations: one function per operation, a default for the rest.

By default `tensor.x` is `tile.x` with the same arguments and the attributes that the tile operation knows; a scalar as
second argument selects `tile.xs`, and a missing scratch argument is created.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    AtomicType,
    Call,
    Expr,
    MakeTuple,
    MemorySpace,
    ScalarType,
    Span,
    TensorType,
    TileType,
    Var,
    const_index,
)
from pypto_build.ops import OpRegistry
from pypto_passes.infer_tile_memory_space import BRIDGE


class Building(Protocol):
    """Where the statements of a conversion go."""

    ops: OpRegistry

    def emit(self, call: Expr, hint: str) -> Var:
        """Bind a value in front of the statement that is converted."""
        ...

    def wants_mat(self, call: Call) -> bool:
        """Whether the result of a call ends up as an operand of a matrix product."""
        ...


Conversion = Callable[[Building, Call, Sequence[Expr]], Expr]


def is_global(value: Expr) -> bool:
    """Whether a value lies in global memory."""
    return isinstance(value.type, TensorType)


def zeros(count: int) -> MakeTuple:
    """The origin."""
    return MakeTuple(tuple(const_index(0) for _ in range(count)))


def loaded(to: Building, tensor: Expr, space: MemorySpace, span: Span) -> Call:
    """A load of a whole tensor; one into Mat is marked as made by the compiler."""
    kind = tensor.type
    if not isinstance(kind, TensorType):
        raise InternalError(f"a load of {kind}", span)
    shape = MakeTuple(kind.shape)
    view = kind.tensor_view
    valid = MakeTuple(view.valid_shape) if view is not None and view.valid_shape else shape
    attrs: dict[str, object] = {BRIDGE: True} if space is MemorySpace.Mat else {}
    args = (tensor, zeros(len(kind.shape)), shape, valid)
    return to.ops.create_call("tile.load", args, {"target_memory": space}, span, attrs)


def as_tile(to: Building, value: Expr, span: Span, space: MemorySpace = MemorySpace.Vec) -> Expr:
    """The value as a tile: loaded when it lies in global memory."""
    return to.emit(loaded(to, value, space, span), _hint(value)) if is_global(value) else value


def _hint(value: Expr) -> str:
    return value.name_hint if isinstance(value, Var) else "t"


# -- windows and elements ----------------------------------------------------------------------------------------------


def _slice(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    source, shape, offset = args[:3]
    valid = args[3] if len(args) > 3 and isinstance(args[3], MakeTuple) and args[3].elements else None
    dropped = args[4] if len(args) > 4 and isinstance(args[4], MakeTuple) and args[4].elements else None
    if not is_global(source):
        kept = {name: value for name, value in call.kwargs.items() if name == "pad_value"}
        return to.ops.create_call("tile.slice", args, kept, call.span)
    if dropped is not None:
        raise _unsupported(call, "with drop_dims on a tensor in global memory")
    space = MemorySpace.Mat if to.wants_mat(call) else MemorySpace.Vec
    kwargs: dict[str, object] = {"target_memory": space}
    if call.kwargs.get("clamp"):
        kwargs["clamp"] = True
    attrs: dict[str, object] = {BRIDGE: True} if space is MemorySpace.Mat else {}
    return to.ops.create_call("tile.load", (source, offset, shape, valid or shape), kwargs, call.span, attrs)


def _element(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Elements of a tensor in global memory are read and written there."""
    name = call.op.name if is_global(args[0]) else call.op.name.replace("tensor.", "tile.")
    return to.ops.create_call(name, args, call.kwargs, call.span)


def _assemble(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    target, source, offset = args
    tile = as_tile(to, source, call.span)
    if not is_global(target):
        return to.ops.create_call("tile.assemble", (target, tile, offset), {}, call.span)
    atomic = call.kwargs.get("atomic", AtomicType.None_)
    kwargs: dict[str, object] = {} if atomic == AtomicType.None_ else {"atomic": atomic}
    return to.ops.create_call("tile.store", (tile, offset, target), kwargs, call.span)


# -- creation ----------------------------------------------------------------------------------------------------------


def _create(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    kwargs = {"dtype": call.kwargs["dtype"], "target_memory": MemorySpace.Vec}
    return to.ops.create_call("tile.create", args, kwargs, call.span)


# -- matrix products ---------------------------------------------------------------------------------------------------


def _operand(to: Building, call: Call, value: Expr, *, transposed: bool) -> Expr:
    """An operand in Mat, seen transposed without a copy where the product asks for it."""
    operand = as_tile(to, value, call.span, MemorySpace.Mat)
    if not transposed:
        return operand
    kind = operand.type
    if isinstance(kind, TileType) and kind.memory_space is not MemorySpace.Mat:
        moved = to.ops.create_call("tile.move", (operand,), {"target_memory": MemorySpace.Mat}, call.span)
        operand = to.emit(moved, _hint(value))
    return to.emit(to.ops.create_call("tile.transpose_view", (operand,), {}, call.span), _hint(value))


def _matmul(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    lhs = _operand(to, call, args[0], transposed=bool(call.kwargs.get("a_trans", False)))
    rhs = _operand(to, call, args[1], transposed=bool(call.kwargs.get("b_trans", False)))
    if call.kwargs.get("c_matrix_nz"):
        raise _unsupported(call, "with c_matrix_nz")
    name = "tile.matmul" if _rank(lhs) == 2 and _rank(rhs) == 2 else "tile.batch_matmul"
    return to.ops.create_call(name, (lhs, rhs), {}, call.span)


def _matmul_acc(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    acc = as_tile(to, args[0], call.span, MemorySpace.Mat)
    lhs = _operand(to, call, args[1], transposed=bool(call.kwargs.get("a_trans", False)))
    rhs = _operand(to, call, args[2], transposed=bool(call.kwargs.get("b_trans", False)))
    name = "tile.matmul_acc" if _rank(lhs) == 2 and _rank(rhs) == 2 else "tile.batch_matmul_acc"
    return to.ops.create_call(name, (acc, lhs, rhs, *args[3:]), {}, call.span)


def _rank(value: Expr) -> int:
    kind = value.type
    return len(kind.shape) if isinstance(kind, TileType) else 0


# -- the rest ----------------------------------------------------------------------------------------------------------

UNCHANGED = frozenset({"tensor.dim", "tensor.view"})
"""They read or describe a tensor in global memory and stay."""

SELF_LOADING: Mapping[str, Conversion] = {
    "tensor.slice": _slice,
    "tensor.read": _element,
    "tensor.write": _element,
    "tensor.assemble": _assemble,
    "tensor.matmul": _matmul,
    "tensor.matmul_acc": _matmul_acc,
}
"""Conversions that look at tensors in global memory themselves."""

_SPECIAL: Mapping[str, Conversion] = {"tensor.create": _create}
_DIFFERENT = frozenset(
    {
        "tensor.gather",
        "tensor.mrgsort_format2",
        "tensor.paged_gather",
        "tensor.scatter",
        "tensor.scatter_mask",
        "tensor.scatter_update",
    }
)
"""Operations whose namesakes on tiles mean something else, so that they are refused instead of converted by name."""


def _same(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    name = call.op.name.replace("tensor.", "tile.", 1)
    given = [as_tile(to, arg, call.span) for arg in args]
    if len(given) == 2 and isinstance(given[1].type, ScalarType) and to.ops.has(f"{name}s"):
        name = f"{name}s"
    if call.op.name in _DIFFERENT or not to.ops.has(name):
        raise _unsupported(call, "")
    definition = to.ops.get(name)
    for missing in definition.args[len(given) :]:
        if missing.optional or not missing.name.startswith("tmp"):
            break
        given.append(to.emit(_scratch(to, given[0], call), "tmp"))
    kwargs = {key: value for key, value in call.kwargs.items() if definition.kwarg(key) is not None}
    return to.ops.create_call(name, given, kwargs, call.span)


def _scratch(to: Building, like: Expr, call: Call) -> Call:
    kind = like.type
    if not isinstance(kind, TileType):
        raise InternalError(f"{call.op.name} without a tile", call.span)
    kwargs = {"dtype": kind.dtype, "target_memory": MemorySpace.Vec}
    return to.ops.create_call("tile.create", (MakeTuple(kind.shape),), kwargs, call.span)


def conversion(name: str) -> Conversion:
    """The conversion of a tensor operation."""
    return SELF_LOADING.get(name) or _SPECIAL.get(name) or _same


def _unsupported(call: Call, how: str) -> UserError:
    return UserError(
        "TILE001",
        f"{call.op.name} {how} has no registered tile conversion".replace("  ", " "),
        call.span,
        help="write this part of the kernel with tile operations (pl.load, pl.tile.*, pl.store)",
    )
