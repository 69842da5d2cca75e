# SPDX-License-Identifier: Apache-2.0
"""Rows of global memory copied straight into an on-chip accumulator, whose address a kernel or a page table gives.

The first-level buffer of the cube core can be filled from global memory only, so each row is loaded into its place of
the accumulator; indices and page table are read element by element where they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import (
    Add,
    Call,
    Cast,
    DataType,
    Expr,
    FloorDiv,
    FloorMod,
    IterArg,
    MakeTuple,
    MemorySpace,
    Mul,
    ScalarType,
    Var,
    const_index,
)
from pypto_build.ops.proof import provably_above
from pypto_passes.tensor_conversions.building import Building, is_global, refused, tensor_type

_INDEX = ScalarType(DataType.INDEX)
_INSTEAD = "pass the tensor to the kernel, or store it first, so that its rows are in global memory"


def created_on_chip(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """The accumulator."""
    del args
    kind = tensor_type(call)
    kwargs = {"transpose": True} if call.kwargs.get("transpose") else {}
    return to.op("tile.create", MakeTuple(kind.shape), dtype=kind.dtype, target_memory=MemorySpace.Mat, **kwargs)


def row_gathered(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A window of global memory, placed by the kernel."""
    acc, source, *rest = args
    _check_global(call, source)
    return to.op("tile.gather_row", to.tile(acc, space=MemorySpace.Mat), source, *rest, **call.kwargs)


def page_gathered(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Row i of the accumulator is the row that the page table gives for index i; it has room for max_indices rows."""
    for arg in args:
        _check_global(call, arg)
    source, indices, table = args
    space = call.kwargs.get("space", MemorySpace.Mat)
    kind, shape = tensor_type(source), tensor_type(call).shape
    count = _rows(to, call, indices)
    start = to.create("paged_gather_acc", shape, kind.dtype, MemorySpace(space))
    transposed = bool(call.kwargs.get("is_trans", False))
    window = MakeTuple((const_index(1), const_index(_number(call, "size"))))

    def row(at: Var, acc: IterArg) -> Expr:
        physical = _physical_row(to, call, at, indices=indices, table=table)
        place = (const_index(0), at) if transposed else (at, const_index(0))
        origin = MakeTuple((physical, const_index(_number(call, "col_off"))))
        args = (acc, source, MakeTuple(place), origin, window)
        return to.let("paged_gather_row", to.op("tile.gather_row", *args, transpose=transposed))

    return to.loop("paged_gather", count, start, row)


def _rows(to: Building, call: Call, indices: Expr) -> Expr:
    """How many indices there are."""
    shape = tensor_type(indices).shape
    if provably_above(shape[-1], const_index(_number(call, "max_indices"))):
        raise refused(call, "has more indices than max_indices", instead="raise max_indices")
    return to.let("paged_gather_rows", to.op("tensor.dim", indices, const_index(len(shape) - 1)))


def _physical_row(to: Building, call: Call, at: Var, *, indices: Expr, table: Expr) -> Expr:
    size = const_index(_number(call, "block_size"))
    wanted = _read(to, "paged_gather_idx", indices, at)
    page = to.let("paged_gather_block", FloorDiv(wanted, size, DataType.INDEX, to.span))
    within = to.let("paged_gather_in_block", FloorMod(wanted, size, DataType.INDEX, to.span))
    block = _read(to, "paged_gather_page", table, page)
    first = Mul(block, size, DataType.INDEX, to.span)
    return to.let("paged_gather_phys", Add(first, within, DataType.INDEX, to.span))


def _read(to: Building, hint: str, tensor: Expr, at: Expr) -> Var:
    leading = [const_index(0)] * (len(tensor_type(tensor).shape) - 1)
    element = to.let(hint, to.op("tensor.read", tensor, MakeTuple((*leading, at))))
    return to.let(f"{hint}_at", Cast(element, DataType.INDEX, to.span))


def _number(call: Call, name: str) -> int:
    value = call.kwargs.get(name, 0)
    return value if isinstance(value, int) else 0


def _check_global(call: Call, value: Expr) -> None:
    if not is_global(value):
        raise refused(call, "copies rows of global memory, but is given a computed value", instead=_INSTEAD)
