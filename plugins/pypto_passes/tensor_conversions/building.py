# SPDX-License-Identifier: Apache-2.0
"""What a conversion builds with: calls at the place of the converted operation, loads, scratch tiles, loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pypto_build.errors import InternalError, Span, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    ForStmt,
    IterArg,
    MakeTuple,
    MemorySpace,
    ScalarType,
    ShapedType,
    Stmt,
    TensorType,
    TileType,
    Var,
    YieldStmt,
    const_index,
    sequence,
)
from pypto_build.ops import OpRegistry
from pypto_passes.infer_tile_memory_space import BRIDGE

Shape = tuple[Expr, ...]
_INDEX = ScalarType(DataType.INDEX)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the conversions of one kernel share.

    loaded: the tile of each parameter that is loaded at the entry; in_mat: the calls whose results end up as operands
    of a matrix product; written: the parameters whose elements or windows the kernel changes; flat_gather: whether the
    hardware gathers from a whole tile at once.
    """

    ops: OpRegistry
    loaded: Mapping[Expr, Var]
    in_mat: frozenset[Expr]
    written: frozenset[Expr]
    flat_gather: bool


@dataclass(slots=True)
class Building:
    """The statements that one operation becomes, in order; all of them are at the place of the operation."""

    around: Surroundings
    span: Span
    statements: list[Stmt] = field(default_factory=list)

    def op(self, name: str, *args: Expr, **kwargs: object) -> Call:
        """A call of an operation."""
        return self.around.ops.create_call(name, args, kwargs, self.span)

    def let(self, hint: str, value: Expr) -> Var:
        """Bind a value."""
        var = Var(hint, value.type, self.span)
        self.statements.append(AssignStmt(var, value, self.span))
        return var

    def tile(self, value: Expr, hint: str = "", space: MemorySpace = MemorySpace.Vec) -> Expr:
        """The value as a tile: loaded when it lies in global memory, at the entry if it is a parameter."""
        if not is_global(value):
            return value
        if space is MemorySpace.Vec and value in self.around.loaded:
            return self.around.loaded[value]
        return self.let(hint or hint_of(value), self.load(value, space))

    def load(self, tensor: Expr, space: MemorySpace = MemorySpace.Vec) -> Call:
        """A load of the whole of a tensor."""
        kind = tensor_type(tensor)
        view = kind.tensor_view
        valid = view.valid_shape if view is not None and view.valid_shape else kind.shape
        return self.load_window(tensor, zeros(len(kind.shape)), kind.shape, valid=valid, space=space)

    def load_window(
        self,
        tensor: Expr,
        offset: Expr,
        shape: Shape,
        *,
        valid: Shape,
        space: MemorySpace = MemorySpace.Vec,
        clamp: bool = False,
    ) -> Call:
        """A load of a window; one into Mat is marked as made by the compiler."""
        attrs = {BRIDGE: True} if space is MemorySpace.Mat else None
        kwargs: dict[str, object] = {"target_memory": space, **({"clamp": True} if clamp else {})}
        args = (tensor, offset, MakeTuple(shape), MakeTuple(valid))
        return self.around.ops.create_call("tile.load", args, kwargs, self.span, attrs)

    def create(self, hint: str, shape: Sequence[Expr], dtype: DataType, space: MemorySpace = MemorySpace.Vec) -> Var:
        """A new tile without contents."""
        return self.let(hint, self.op("tile.create", MakeTuple(tuple(shape)), dtype=dtype, target_memory=space))

    def cast(self, hint: str, value: Expr, dtype: DataType) -> Expr:
        """A tile with elements of another type, rounded half away from zero between floats; the same if it has them."""
        have = shaped_type(value).dtype
        if have is dtype:
            return value
        mode = _NO_ROUNDING if have.is_int() and dtype.is_int() else _ROUND
        return self.let(hint, self.op("tile.cast", value, target_type=dtype, mode=mode))

    def loop(self, hint: str, count: Expr, start: Expr, body: Callable[[Var, IterArg], Expr]) -> Var:
        """What `start` has become after `count` rounds; `body` makes the next value from the round and the last."""
        index = Var(f"{hint}_i", _INDEX, self.span)
        carry = IterArg(f"{hint}_acc", start.type, self.span, start)
        outer, self.statements = self.statements, []
        last = body(index, carry)
        inner, self.statements = [*self.statements, YieldStmt((last,), self.span)], outer
        result = Var(f"{hint}_result", start.type, self.span)
        bounds = (const_index(0), count, const_index(1))
        loop = ForStmt(index, *bounds, (carry,), sequence(inner, self.span), (result,), self.span)
        self.statements.append(loop)
        return result


Conversion = Callable[[Building, Call, Sequence[Expr]], Expr]
"""Makes the value of a call from its converted arguments, statements in front of it by `Building`."""

_NO_ROUNDING, _ROUND = 0, 2


def is_global(value: Expr) -> bool:
    """Whether a value lies in global memory."""
    return isinstance(value.type, TensorType)


def zeros(count: int) -> MakeTuple:
    """The origin."""
    return MakeTuple((const_index(0),) * count)


def constant(value: float, dtype: DataType) -> ConstInt | ConstFloat:
    """A constant beside elements of a type."""
    return ConstFloat(float(value), dtype) if dtype.is_float() else ConstInt(int(value), dtype)


def part(to: Building, source: Expr, offset: Expr, shape: Shape) -> Call:
    """A window of a tensor, loaded, or of a tile."""
    if is_global(source):
        return to.load_window(source, offset, shape, valid=shape)
    return to.op("tile.slice", source, MakeTuple(shape), offset, MakeTuple(shape))


def hint_of(value: Expr) -> str:
    """A name for what is made from a value."""
    return value.name_hint if isinstance(value, Var) else "t"


def tensor_type(value: Expr) -> TensorType:
    """The type of a value in global memory."""
    if not isinstance(value.type, TensorType):
        raise InternalError(f"{value.type} where a tensor is expected")
    return value.type


def tile_type(value: Expr) -> TileType:
    """The type of a tile."""
    if not isinstance(value.type, TileType):
        raise InternalError(f"{value.type} where a tile is expected")
    return value.type


def shaped_type(value: Expr) -> ShapedType:
    """The type of a tensor or tile."""
    if not isinstance(value.type, ShapedType):
        raise InternalError(f"{value.type} where a tensor or tile is expected")
    return value.type


def refused(call: Call, how: str, *, instead: str, code: str = "TILE003") -> UserError:
    """The error of an operation that cannot be converted as it stands."""
    return UserError(code, f"{call.op.name} {how}", call.span, help=instead)
