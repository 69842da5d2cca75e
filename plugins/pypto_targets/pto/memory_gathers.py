# SPDX-License-Identifier: Apache-2.0
"""Gathers from global memory and scatters into it, by an index or row by row."""

from __future__ import annotations

from pypto_build.errors import InternalError
from pypto_build.ir import Call, ConstInt, Expr, TensorLayout, TensorType, TileType, Var, as_int, rebuilt
from pypto_targets.pto.datamove import Window, subview
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, argument, in_place, integer_kwarg, result, tensor_of, tile_of, write
from pypto_targets.pto.tensors import part, partition_of, strided_view, whole
from pypto_targets.pto.text import Value

COALESCE = ("row", "elem")
OUT_OF_BOUNDS = ("undefined", "clamp", "wrap", "zero")
_BOX_ROWS, _BOX_BYTES = 16, 32  # a box of the matrix memory


def gather(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.mgather(mem, idx[, scratch][, valid_shape])`: tensors are handed over as a whole."""
    target = result(kernel, call, var)
    given = [arg for arg in call.args if isinstance(arg.type, TensorType | TileType)]
    sources = [whole(kernel, arg) if isinstance(arg.type, TensorType) else kernel.value(arg) for arg in given]
    attributes = [f"coalesce = #pto<coalesce {COALESCE[integer_kwarg(call, 'coalesce')]}>"]
    mode = integer_kwarg(call, "gather_oob")
    if mode:
        attributes.append(f"gatherOob = #pto<gather_oob {OUT_OF_BOUNDS[mode]}>")
    write(kernel, "pto.mgather", sources, [target], outs=f"{{{', '.join(attributes)}}}")


def scatter(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.mscatter(src, idx, tensor)`; the result is another name for the tensor."""
    target = whole(kernel, call.args[2])
    write(kernel, "pto.mscatter", [kernel.value(arg) for arg in call.args[:2]], [target])
    if var is not None:
        kernel.alias(var, call.args[2])


def gather_row(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.gather_row(dst, src, dst_offset, src_offset, shapes[, valid_shape])`: a load into a window of dst.

    Transposed, rows of the source become columns: the source is looked at column by column.
    """
    target, kind = in_place(kernel, call, var), tile_of(call, 0)
    offsets, shape = tuple_items(call.args[3]), tuple_items(call.args[4])
    valid = argument(call, 5)
    extents = shape if valid is None else tuple_items(valid)
    if call.kwargs.get("transpose"):
        source = _column(kernel, call, offsets, extents)
        shape, extents = shape[::-1], extents[::-1]
    else:
        source = part(kernel, call.args[1], offsets, extents, "gather_row_pview")
    window = Window(tuple_items(call.args[2]), _boxed(shape, kind), extents)
    view = subview(kernel, target, window, kind, hint="gather_row_view")
    write(kernel, "pto.tload", [source], [view])


def _column(kernel: Kernel, call: Call, offsets: tuple[Expr, ...], extents: tuple[Expr, ...]) -> Value:
    """A partition of the source with its two dimensions exchanged."""
    kind = tensor_of(call, 1)
    if len(kind.shape) != 2:
        raise InternalError("a transposed gather needs a source of two dimensions", call.span)
    turned = rebuilt(kind, {"shape": kind.shape[::-1], "tensor_view": None})
    steps = [kernel.text.integer(1, "index"), kernel.index(kind.shape[1])]
    pointer = kernel.pointer(call.args[1])
    view = strided_view(kernel, turned, pointer, layout=TensorLayout.DN, strides=steps, hint="gather_row_src_view")
    return partition_of(kernel, view, turned, offsets=offsets[::-1], extents=extents[::-1], hint="gather_row_pview")


def _boxed(sizes: tuple[Expr, ...], kind: TileType) -> tuple[Expr, ...]:
    """The sizes in whole boxes, for a window of the matrix memory cannot cut one."""
    units = (_BOX_ROWS, max(_BOX_BYTES // kind.dtype.get_byte(), 1))
    return tuple(ConstInt(-(-(as_int(size) or 1) // unit) * unit) for size, unit in zip(sizes, units, strict=True))


HANDLERS: dict[str, Handler] = {
    "tile.mgather": gather,
    "tile.mscatter": scatter,
    "tile.gather_row": gather_row,
}
