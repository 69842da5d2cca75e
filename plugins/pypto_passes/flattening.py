# SPDX-License-Identifier: Apache-2.0
"""What a lowering to tiles of two dimensions works with: the kernel as it is so far, and the matrices of a flat tile.

The matrices of a flat tile lie below each other. Of one whose matrices were turned they lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pypto_build.errors import Span, UserError
from pypto_build.ir import Call, Expr, MakeTuple, MemorySpace, TileType, Var, as_int, const_index
from pypto_build.ops import OpRegistry
from pypto_build.ops.regions import Region


class Flattening(Protocol):
    """Where the statements of a lowering go, and what the values of the kernel are now."""

    ops: OpRegistry

    def emit(self, value: Expr, hint: str, span: Span) -> Var:
        """Bind a value in front of the statement that is lowered; the span is that of the new statement."""
        ...

    def flat(self, value: Expr) -> Expr:
        """What stands for a value now."""
        ...

    def matrices(self, var: Var) -> Expr:
        """The flat tile that holds the matrices of a variable, however they lie."""
        ...


@dataclass(frozen=True, slots=True)
class Site:
    """A call of the kernel, and the place of its statement, which new statements get."""

    call: Call
    span: Span


Lowering = Callable[[Flattening, Site], Expr]
"""What a call becomes."""


def again(to: Flattening, call: Call, args: Sequence[Expr] | None = None) -> Call:
    """A call made again, on other arguments or because the types of its own have changed."""
    return to.ops.create_call(call.op.name, call.args if args is None else args, call.kwargs, call.span, call.attrs)


def refused(call: Call, how: str) -> UserError:
    """The error for what cannot be said with tiles of two dimensions, to be raised by the caller."""
    return UserError(
        "FLAT003",
        f"{call.op.name} {how} has no form for tiles of two dimensions",
        call.span,
        help="work on one index of the outer dimension at a time, in a loop",
    )


def buffer(to: Flattening, call: Call, *, shape: Region, like: TileType, space: MemorySpace | None) -> Call:
    """A tile to be filled with what a call makes."""
    kwargs: dict[str, object] = {"dtype": like.dtype}
    if space is not None:
        kwargs["target_memory"] = space
    return to.ops.create_call("tile.create", (MakeTuple(shape, call.span),), kwargs, call.span)


def matrix_of(to: Flattening, call: Call, *, source: Expr, number: int, shape: Region, beside: bool = False) -> Call:
    """The window of one matrix of a flat tile, for a call; `beside` for matrices that lie side by side."""
    step = number * (as_int(shape[1 if beside else 0]) or 0)
    place = (0, step) if beside else (step, 0)
    args = (source, MakeTuple(shape, call.span), _place(place, call.span))
    return to.ops.create_call("tile.slice", args, {}, call.span)


def with_matrix(to: Flattening, call: Call, *, target: Expr, source: Expr, number: int) -> Call:
    """A flat tile with one of its matrices written, for a call."""
    kind = source.type
    assert isinstance(kind, TileType)
    place = _place((number * (as_int(kind.shape[0]) or 0), 0), call.span)
    return to.ops.create_call("tile.assemble", (target, source, place), {}, call.span)


def _place(offsets: tuple[int, int], span: Span) -> MakeTuple:
    return MakeTuple(tuple(const_index(offset, span) for offset in offsets), span)
