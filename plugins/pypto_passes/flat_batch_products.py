# SPDX-License-Identifier: Apache-2.0
"""Batched matrix products as one product per matrix, the batches broadcast.

An operand is brought to the core whole and its matrices are cut out of it, unless the operands do not fit there
together or its window is scattered in global memory: then each matrix is loaded by itself, where it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from pypto_build.errors import InternalError
from pypto_build.ir import Call, Expr, MakeTuple, MemorySpace, TileType, Var, as_int, const_index, rebuilt
from pypto_build.ops.arithmetic import ONE, plus
from pypto_build.ops.deduce import is_fully_valid, valid_shape_of
from pypto_build.ops.proof import same_dimensions
from pypto_build.ops.regions import Region
from pypto_passes.flat_shapes import elements, flat_type
from pypto_passes.flat_transfers import box_of, is_boxed_load, is_scattered_load, load_matrix
from pypto_passes.flattening import Flattening, Site, buffer, matrix_of, with_matrix
from pypto_passes.tile_storage import packed_bytes, static_shape


@dataclass(frozen=True, slots=True)
class Operand:
    """A batch of matrices.

    source is the variable behind the reshapes that only regroup the batch, turned whether it is a transposed view,
    load what it, or the tile that it views, is loaded by.
    """

    source: Var
    batch: tuple[int, ...]
    matrix: Region
    turned: bool
    load: Call | None

    @property
    def bytes(self) -> int:
        """What the whole operand takes."""
        kind = _tile(self.source)
        return packed_bytes(prod(static_shape(kind) or ()), kind.dtype)

    def number(self, index: tuple[int, ...]) -> int:
        """Which matrix is meant by an index of the broadcast batch."""
        found = 0
        for extent, at in zip(self.batch, index[len(index) - len(self.batch) :], strict=True):
            found = found * extent + (0 if extent == 1 else at)
        return found


@dataclass(frozen=True, slots=True)
class BatchProducts:
    """Lowers the products of one kernel.

    definitions are the calls that variables are bound to, may_load_again says whether a load reads the same wherever
    it stands, capacity is that of Mat in bytes, None without a bound.
    """

    to: Flattening
    definitions: Mapping[Var, Call]
    may_load_again: Callable[[Call], bool]
    capacity: int | None

    # -- whole products ----------------------------------------------------------------------------------------------

    def computed(self, site: Site, hint: str) -> Expr:
        """The product as a flat tile: of one matrix in the accumulator, of several put together in Vec."""
        call, kind = site.call, flat_type(_tile(site.call), site.span)
        pairs = self._pairs(site)
        if prod(_batch(call)) == 1:
            _, left, right = next(pairs)
            return self._made(call, "tile.matmul", left, right)
        made = self.to.emit(buffer(self.to, call, shape=kind.shape, like=kind, space=MemorySpace.Vec), hint, site.span)
        for number, (_, left, right) in enumerate(pairs):
            part = self.to.emit(self._made(call, "tile.matmul", left, right), f"{hint}_part", site.span)
            moved = self.to.ops.create_call("tile.move", (part,), {"target_memory": MemorySpace.Vec}, call.span)
            staged = self.to.emit(moved, f"{hint}_part", site.span)
            put = with_matrix(self.to, call, target=made, source=staged, number=number)
            made = self.to.emit(put, hint, site.span)
        if is_fully_valid(kind):
            return made
        return self._made(call, "tile.set_validshape", made, *valid_shape_of(kind))

    def accumulated(self, site: Site, hint: str) -> Expr:
        """The flat accumulator with the product added matrix by matrix."""
        call, kind = site.call, _tile(site.call)
        flat_type(kind, site.span)
        made = self.to.flat(call.args[0])
        count = prod(_batch(call))
        for number, (_, left, right) in enumerate(self._pairs(site, first=1)):
            if count == 1:
                return self._made(call, "tile.matmul_acc", made, left, right)
            window = matrix_of(self.to, call, source=made, number=number, shape=kind.shape[-2:])
            page = self.to.emit(window, f"{hint}_page", site.span)
            part = self.to.emit(self._made(call, "tile.matmul_acc", page, left, right), f"{hint}_part", site.span)
            made = self.to.emit(with_matrix(self.to, call, target=made, source=part, number=number), hint, site.span)
        return made

    def stored(self, site: Site, store: Site, *, hint: str) -> Expr:
        """The product stored matrix by matrix, at the place of its store."""
        new = self.to.flat(store.call)
        assert isinstance(new, Call)
        offsets, target = elements(new.args[1]), new.args[2]
        last = prod(_batch(site.call)) - 1
        for number, (index, left, right) in enumerate(self._pairs(site)):
            part = self.to.emit(self._made(site.call, "tile.matmul", left, right), "product", site.span)
            box = box_of(valid_shape_of(_tile(part)), len(offsets), new.span)
            args = (part, MakeTuple(_moved(offsets, index), new.span), target, box)
            made = self.to.ops.create_call("tile.store", args, new.kwargs, new.span, new.attrs)
            if number == last:
                return rebuilt(made, {"type": new.type})
            target = self.to.emit(made, hint, store.span)
        raise InternalError("a batched product without a matrix", site.call.span)

    def _made(self, call: Call, name: str, *args: Expr) -> Call:
        return self.to.ops.create_call(name, args, {}, call.span)

    # -- operands ----------------------------------------------------------------------------------------------------

    def _pairs(self, site: Site, *, first: int = 0) -> Iterator[tuple[tuple[int, ...], Expr, Expr]]:
        """For each index of the batch the matrices to multiply; those are brought when it is asked for."""
        left, right = (self._operand(arg) for arg in site.call.args[first : first + 2])
        fits = self.capacity is None or left.bytes + right.bytes <= self.capacity
        for index in product(*map(range, _batch(site.call))):
            parts = [self._matrix(operand, site, index=index, fits=fits) for operand in (left, right)]
            yield index, parts[0], parts[1]

    def _operand(self, value: Expr) -> Operand:
        kind = _tile(value)
        source = self._behind_reshapes(value)
        made = self.definitions.get(source)
        turned = made is not None and made.op.name == "tile.transpose_view"
        if made is not None and turned:
            made = self.definitions.get(self._behind_reshapes(made.args[0]))
        load = made if made is not None and made.op.name == "tile.load" else None
        batch = tuple(as_int(dim) or 0 for dim in kind.shape[:-2])
        return Operand(source, batch, kind.shape[-2:], turned, load)

    def _behind_reshapes(self, value: Expr) -> Var:
        """The tile of which a reshape only regroups the matrices."""
        assert isinstance(value, Var)
        made = self.definitions.get(value)
        if made is None or made.op.name != "tile.reshape" or not isinstance(made.args[0], Var):
            return value
        kind, source = _tile(value), _tile(made.args[0])
        same = same_dimensions(kind.shape[-2:], source.shape[-2:]) and is_fully_valid(kind) and is_fully_valid(source)
        return self._behind_reshapes(made.args[0]) if same else value

    def _matrix(self, operand: Operand, site: Site, *, index: tuple[int, ...], fits: bool) -> Expr:
        number, load, name = operand.number(index), operand.load, f"{operand.source.name_hint}_page"
        if load is not None and self.is_separable(load) and (is_scattered_load(load) or not fits):
            page = self.to.emit(self._loaded(Site(load, site.span), number), name, site.span)
            if not operand.turned:
                return page
            return self.to.emit(self._made(site.call, "tile.transpose_view", page), name, site.span)
        tile = self.to.matrices(operand.source)
        if len(_tile(operand.source).shape) == 2:
            return tile
        shape, beside = operand.matrix, operand.turned
        window = matrix_of(self.to, site.call, source=tile, number=number, shape=shape, beside=beside)
        return self.to.emit(window, name, site.span)

    def is_separable(self, load: Call) -> bool:
        """Whether the matrices of a load can be loaded one by one, and later."""
        kind = _tile(load)
        every = len(kind.shape) > 2 and same_dimensions(valid_shape_of(kind)[:-2], kind.shape[:-2])
        return every and self.may_load_again(load)

    def _loaded(self, site: Site, number: int) -> Expr:
        """One matrix of a load, loaded by itself."""
        load, kind = site.call, _tile(site.call)
        window, valid = elements(load.args[2]), valid_shape_of(kind)[-2:]
        place = _moved(elements(load.args[1]), _index(number, window[:-2]))
        if is_boxed_load(load):
            return load_matrix(self.to, site, offsets=place, shape=window[-2:], valid=valid)
        lead = (ONE,) * (len(window) - 2)
        windows = (place, (*lead, *window[-2:]), (*lead, *valid))
        args = (load.args[0], *(MakeTuple(part, load.span) for part in windows))
        made = self.to.flat(self.to.ops.create_call("tile.load", args, load.kwargs, load.span))
        return rebuilt(made, {"type": flat_type(_tile(made), site.span)})


def _tile(value: Expr) -> TileType:
    kind = value.type
    assert isinstance(kind, TileType)
    return kind


def _batch(call: Call) -> tuple[int, ...]:
    return tuple(as_int(dim) or 0 for dim in _tile(call).shape[:-2])


def _index(number: int, extents: Region) -> tuple[int, ...]:
    found: list[int] = []
    for extent in reversed(extents):
        number, at = divmod(number, as_int(extent) or 1)
        found.append(at)
    return tuple(reversed(found))


def _moved(offsets: Region, index: tuple[int, ...]) -> Region:
    """The offsets of a box, moved along its first dimensions."""
    moved = (plus(offset, const_index(at)) for offset, at in zip(offsets, index, strict=False))
    return (*moved, *offsets[len(index) :])
