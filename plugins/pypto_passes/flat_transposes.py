# SPDX-License-Identifier: Apache-2.0
"""Transpositions of flat tiles: by an instruction, which needs a scratch tile, matrix by matrix; or as a mere view."""

from __future__ import annotations

from pypto_build.errors import UserError
from pypto_build.ir import Call, Expr, TileType, as_int, const_index
from pypto_build.ops.deduce import is_fully_valid
from pypto_build.ops.reshaping import volume
from pypto_passes.flat_shapes import flat_shape, flat_type, is_deep
from pypto_passes.flattening import Flattening, Site, again, buffer, matrix_of, refused, with_matrix


def turned(to: Flattening, site: Site) -> Expr:
    """A view with rows and columns exchanged; the matrices of the flat tile then lie side by side."""
    call, new = site.call, to.flat(site.call)
    if not is_deep(call.type) or not isinstance(new, Call):
        return new
    flat_type(call.type, site.span)
    return again(to, new)


def transposed(to: Flattening, site: Site) -> Expr:
    """A transposition with the scratch tile that the instruction needs, matrix by matrix.

    Raises:
        UserError: other axes than the last two are exchanged, or several matrices are not wholly valid.
    """
    call, source = site.call, site.call.args[0].type
    has_scratch = bool(call.args[3:])
    if not isinstance(source, TileType) or has_scratch:
        return to.flat(call)
    rank = len(source.shape)
    axes = {(as_int(axis) or 0) % rank for axis in call.args[1:3]}
    if axes != {rank - 2, rank - 1}:
        text = f"exchanges axes {min(axes)} and {max(axes)} of {rank}: only last-two-axes tile.transpose is supported"
        raise UserError("FLAT005", f"tile.transpose {text}", call.span, help="load the tensor in the wanted order")
    if is_deep(source):
        flat_type(source, site.span)
    count = as_int(volume(source.shape[:-2])) or 0
    if count == 1:
        made = buffer(to, call, shape=source.shape[-2:], like=source, space=source.memory_space)
        return _transposed(to, call, source=to.flat(call.args[0]), scratch=to.emit(made, "scratch", site.span))
    if not is_fully_valid(source):
        raise refused(call, "of a partly valid tile of more than two dimensions")
    return _matrices(to, site, kind=source, count=count)


def _matrices(to: Flattening, site: Site, *, kind: TileType, count: int) -> Expr:
    call, (rows, columns) = site.call, kind.shape[-2:]
    source = to.flat(call.args[0])
    pool, made = (
        to.emit(buffer(to, call, shape=flat_shape(shape), like=kind, space=kind.memory_space), name, site.span)
        for shape, name in ((kind.shape, "scratch"), ((*kind.shape[:-2], columns, rows), "transposed"))
    )
    for number in range(count):
        page, scratch = (
            to.emit(matrix_of(to, call, source=tile, number=number, shape=(rows, columns)), name, site.span)
            for tile, name in ((source, "page"), (pool, "scratch_page"))
        )
        part = to.emit(_transposed(to, call, source=page, scratch=scratch), "part", site.span)
        made = to.emit(with_matrix(to, call, target=made, source=part, number=number), "transposed", site.span)
    return made


def _transposed(to: Flattening, call: Call, *, source: Expr, scratch: Expr) -> Call:
    args = (source, const_index(0), const_index(1), scratch)
    return to.ops.create_call("tile.transpose", args, call.kwargs, call.span)
