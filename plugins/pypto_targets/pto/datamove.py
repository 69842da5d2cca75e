# SPDX-License-Identifier: Apache-2.0
"""Moves between buffers, and views of tiles."""

from __future__ import annotations

from pypto_build.errors import InternalError
from pypto_build.ir import Call, DataType, Expr, MemorySpace, TileType, Var, as_int
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, result, write
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import rows_and_columns, tile_buffer


def move(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.move(tile)`."""
    source = kernel.value(call.args[0])
    write(kernel, "pto.tmov", [source], [result(kernel, call, var)])


def transpose(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.transpose(src, axis1, axis2, tmp)`."""
    operands = [kernel.value(call.args[0])]
    if len(call.args) > 3:
        operands.append(kernel.value(call.args[3]))
    write(kernel, "pto.ttrans", operands, [result(kernel, call, var)])


def window(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.slice(src, shape, offset[, valid])`: a view, nothing is copied."""
    if var is None:
        return
    offsets = tuple_items(call.args[2])
    stated = call.args[3:4]
    valid = tuple_items(stated[0]) if stated and not _is_empty(stated[0]) else ()
    kernel.values[var] = subview(kernel, kernel.value(call.args[0]), offsets, _tile(call.type, call), valid=valid)


def _is_empty(expr: Expr) -> bool:
    return not tuple_items(expr)


def subview(
    kernel: Kernel, source: Value, offsets: tuple[Expr, ...], kind: TileType, *, valid: tuple[Expr, ...] = ()
) -> Value:
    """A window of a tile."""
    rows, columns = rows_and_columns(kind.shape)
    row, column = rows_and_columns(offsets)
    sizes = f"[{1 if rows is None else as_int(rows)}, {as_int(columns)}]"
    first = kernel.text.integer(0, "index") if row is None else kernel.index(row)
    places = f"[{first.name}, {kernel.index(column).name}]"
    extents = ""
    if valid:
        valid_rows, valid_columns = rows_and_columns(valid)
        height = kernel.text.integer(1, "index") if valid_rows is None else kernel.index(valid_rows)
        extents = f" valid [{height.name}, {kernel.index(valid_columns).name}]"
    made = tile_buffer(kind, static_valid=True)
    return kernel.text.define(
        f"pto.subview {source.name}{places} sizes {sizes}{extents} : {source.type} -> {made}", made, "slice_view"
    )


def assemble(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.assemble(target, source, offset)`: the source is written into a window of the target's buffer."""
    target, source = kernel.value(call.args[0]), kernel.value(call.args[1])
    source_type = _tile(call.args[1].type, call)
    offsets = tuple_items(call.args[2])
    destination = target
    if var is not None:
        destination = kernel.tile(var)
        if not _same_buffer(var, call.args[0]):
            write(kernel, "pto.tmov", [target], [destination])
    narrow = source_type.dtype in (DataType.BF16, DataType.FP16)
    if source_type.memory_space is MemorySpace.Acc and narrow:
        row, column = rows_and_columns(offsets)
        first = kernel.text.integer(0, "index") if row is None else kernel.index(row)
        write(kernel, "pto.tinsert", [source, first, kernel.index(column)], [destination])
        return
    target_type = _tile(call.type, call)
    shape = TileType(source_type.shape, target_type.dtype, None, target_type.tile_view, target_type.memory_space)
    write(kernel, "pto.tmov", [source], [subview(kernel, destination, offsets, shape)])


def _same_buffer(var: Var, other: Expr) -> bool:
    left, right = var.type, other.type
    if not isinstance(left, TileType) or not isinstance(right, TileType) or left.memref is None or right.memref is None:
        return False
    return (
        as_int(left.memref.byte_offset) == as_int(right.memref.byte_offset) and left.memory_space is right.memory_space
    )


def extract(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.extract(src, row, column, shape)`: a window copied into another buffer."""
    operands = [kernel.value(call.args[0]), kernel.index(call.args[1]), kernel.index(call.args[2])]
    write(kernel, "pto.textract", operands, [result(kernel, call, var)])


def reinterpret(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.reshape` and its kin: the same bytes under another type."""
    if var is None:
        return
    source = kernel.value(call.args[0])
    made = tile_buffer(_tile(call.type, call), static_valid=True)
    kernel.values[var] = kernel.text.define(
        f"pto.treshape {source.name} : {source.type} -> {made}", made, "reshape_buf"
    )


def set_valid(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.set_validshape(tile, rows, columns)`: changes the tile in place."""
    tile = kernel.value(call.args[0])
    rows, columns = kernel.index(call.args[1]), kernel.index(call.args[2])
    kernel.text.emit(f"pto.set_validshape {tile.name}, {rows.name}, {columns.name} : {tile.type}")
    if var is not None:
        kernel.alias(var, call.args[0])


def _tile(kind: object, call: Call) -> TileType:
    if not isinstance(kind, TileType):
        raise InternalError(f"{call.op.name} needs tiles", call.span)
    return kind


HANDLERS: dict[str, Handler] = {
    "tile.move": move,
    "tile.transpose": transpose,
    "tile.slice": window,
    "tile.assemble": assemble,
    "tile.extract": extract,
    "tile.reshape": reinterpret,
    "tile.reinterpret_view": reinterpret,
    "tile.transpose_view": reinterpret,
    "tile.set_validshape": set_valid,
}
