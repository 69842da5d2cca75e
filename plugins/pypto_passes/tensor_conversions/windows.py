# SPDX-License-Identifier: Apache-2.0
"""Windows, elements and views of tensors: global memory is loaded from and stored to, tiles are looked at in place."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import UserError
from pypto_build.ir import (
    AtomicType,
    Call,
    Expr,
    MakeTuple,
    MemorySpace,
    TensorLayout,
    TensorType,
    as_int,
    const_index,
)
from pypto_passes.tensor_conversions.building import (
    Building,
    Shape,
    constant,
    is_global,
    refused,
    tensor_type,
    tile_type,
)
from pypto_passes.tensor_conversions.by_name import namesake, tile_name

_VIEW_FIRST = "take the view of the tensor before it is loaded, or reshape the result"
_ADD_FIRST = "add the part to the window of the tile with pl.add, and assemble the sum"


def sliced(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A window: of global memory a load, into Mat for a matrix product; axes that are dropped go by a reshape."""
    source, shape, offset = args[:3]
    if not is_global(source):
        return to.op("tile.slice", *args, **_kept(call, "pad_value"))
    window = _elements(shape)
    dropped = frozenset(_axes(args[4])) if len(args) > 4 else frozenset[int]()
    space = MemorySpace.Mat if call in to.around.in_mat else MemorySpace.Vec
    valid = _full_region(call, dropped, window) if dropped else _requested(args) or window
    load = to.load_window(source, offset, window, valid=valid, space=space, clamp=bool(call.kwargs.get("clamp")))
    if not dropped:
        return load
    return to.op("tile.reshape", to.let("window", load), MakeTuple(tensor_type(call).shape))


def _kept(call: Call, *names: str) -> dict[str, object]:
    return {name: call.kwargs[name] for name in names if name in call.kwargs}


def _elements(value: Expr) -> Shape:
    if not isinstance(value, MakeTuple):
        raise UserError("TILE002", "a window in a kernel is written out, not computed as a tuple", value.span)
    return value.elements


def _requested(args: Sequence[Expr]) -> Shape:
    return _elements(args[3]) if len(args) > 3 else ()


def _axes(value: Expr) -> list[int]:
    return [axis for axis in map(as_int, _elements(value)) if axis is not None]


def _full_region(call: Call, dropped: frozenset[int], window: Shape) -> Shape:
    """The valid region of the window, whose dropped axes are valid in their one element."""
    kind = tensor_type(call)
    view = kind.tensor_view
    kept = iter(view.valid_shape if view is not None and view.valid_shape else kind.shape)
    return tuple(const_index(1) if axis in dropped else next(kept) for axis in range(len(window)))


def element_read(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """An element of global memory is read there, unless it has been loaded and the kernel does not write it."""
    source = args[0]
    loaded = to.around.loaded.get(source)
    if loaded is not None and source not in to.around.written:
        return to.op("tile.read", loaded, *args[1:])
    return _in_place(to, call, args)


def element_written(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """An element is written where the tensor is."""
    return _in_place(to, call, args)


def _in_place(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    name = call.op.name if is_global(args[0]) else tile_name(call.op.name)
    return to.op(name, *args, **call.kwargs)


def assembled(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A part written into a tensor is a store of the part; into a tile, an assembly of tiles."""
    target, source, offset = args
    tile = to.tile(source, "assemble_src")
    atomic = call.kwargs.get("atomic", AtomicType.None_)
    kwargs = {} if atomic == AtomicType.None_ else {"atomic": atomic}
    if is_global(target):
        return to.op("tile.store", tile, offset, target, **kwargs)
    if kwargs:
        raise refused(call, "with atomic= needs a global-memory destination", instead=_ADD_FIRST)
    return to.op("tile.assemble", target, tile, offset)


def created(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A tensor that a kernel makes for itself is a tile; a value that it shall start with is filled in."""
    del args
    initial = call.kwargs.get("init_value")
    kind = tensor_type(call)
    if isinstance(initial, float):
        value = constant(initial, kind.dtype)
        return to.op("tile.full", MakeTuple(kind.shape), value, dtype=kind.dtype)
    return to.op("tile.create", MakeTuple(kind.shape), dtype=kind.dtype, target_memory=MemorySpace.Vec)


def extent(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """The extent of a tensor in global memory is asked there; that of a tile is in its type."""
    source, axis = args
    if is_global(source):
        return call if source is call.args[0] else to.op(call.op.name, *args)
    shape = tile_type(source).shape
    return shape[(as_int(axis) or 0) % len(shape)]


def viewed(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A view of global memory stays one."""
    if not is_global(args[0]):
        raise refused(call, "cannot view the result of an op lowered to Tile", instead=_VIEW_FIRST)
    return call if args[0] is call.args[0] else to.op(call.op.name, *args, **call.kwargs)


def reshaped(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Another shape; a smaller valid region is stated afterwards."""
    return _narrowed(to, call, to.op("tile.reshape", to.tile(args[0]), args[1]), args[2:])


def transposed(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Two axes swapped; a smaller valid region is stated afterwards."""
    return _narrowed(to, call, to.op("tile.transpose", to.tile(args[0]), *args[1:3]), args[3:])


def _narrowed(to: Building, call: Call, value: Call, valid: Sequence[Expr]) -> Call:
    if not valid:
        return value
    extents = _elements(valid[0])
    if len(extents) != 2:
        raise refused(call, "in a kernel takes a valid_shape of two dimensions only", instead=_VIEW_FIRST)
    return to.op("tile.set_validshape", to.let("whole", value), *extents)


def reinterpreted(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Other elements over the same bytes; which axis is contiguous must not depend on where the bytes are."""
    kind = call.args[0].type
    view = kind.tensor_view if isinstance(kind, TensorType) else None
    if view is not None and view.layout is not TensorLayout.ND:
        raise refused(call, "in a kernel supports only packed ND tensors", instead=_VIEW_FIRST)
    return namesake(to, call, args)
