# SPDX-License-Identifier: Apache-2.0
"""Memory references: `pl.MemRef(mem_vec_3, 0, 16384)`, and declarations such as `pl.MemRef("ping", slots=2)[i % 2]`.

A base is a bare name where the text before defines it, otherwise a string.
"""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.ir.expr import MemRef
from pypto_build.ir.printing.context import Context
from pypto_build.ir.printing.expressions import expression
from pypto_build.ir.printing.literals import string_text
from pypto_build.ir.printing.parts import Part, Parts, called, keyword


def memref(ctx: Context, ref: MemRef) -> Parts:
    """The constructor that makes the reference."""
    name = f"{ctx.pl}.MemRef"
    if not _is_declaration(ref):
        return called(name, _fields(ctx, ref))
    return _declaration(ctx, ref, name)


def _is_declaration(ref: MemRef) -> bool:
    """Whether only a name (and slots) was asked for: no size and offset yet."""
    return ref.is_pinned and ref.size == 0 and getattr(ref.byte_offset, "value", 0) == 0


def _declaration(ctx: Context, ref: MemRef, name: str) -> Parts:
    slots = [f"slots={ref.slot_count}"] if ref.slot_count != 1 else []
    yield called(name, [string_text(_base_name(ctx, ref)), *slots])
    if ref.slot_index is not None:
        yield "["
        yield expression(ctx, ref.slot_index)
        yield "]"


def _fields(ctx: Context, ref: MemRef) -> Iterator[Part]:
    bare = ref.base is not None and ctx.names.is_defined(ref.base) and not ctx.in_signature  # pyright: ignore[reportUnnecessaryComparison]  # None until the constructor of the public interface is used
    yield _base_name(ctx, ref) if bare else string_text(_base_name(ctx, ref))
    yield "0" if ref.byte_offset is None else expression(ctx, ref.byte_offset)  # pyright: ignore[reportUnnecessaryComparison]  # as above
    yield str(ref.size)
    if ref.is_pinned:
        yield "is_pinned=True"
    if ref.slot_count != 1:
        yield f"slots={ref.slot_count}"
    if ref.slot_index is not None:
        yield keyword("slot", expression(ctx, ref.slot_index))


def _base_name(ctx: Context, ref: MemRef) -> str:
    base = ref.base if ref.base is not None else ref  # pyright: ignore[reportUnnecessaryComparison]  # as above
    return ctx.names.of(base) if ctx.names.is_defined(base) else base.name_hint
