# SPDX-License-Identifier: Apache-2.0
"""FP4 tensors: the runtime counts pairs of elements along the last axis, the program counts elements.

Shapes and offsets are halved where they are handed to the runtime, and extents doubled where they come from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import Span, UserError
from pypto_build.ir import DataType, Expr, TensorType, Type, as_int
from pypto_targets.orchestration.writer import Writer

PER_BYTE = 2


def is_packed(kind: Type) -> bool:
    """Whether two elements of a tensor share a byte."""
    return isinstance(kind, TensorType) and kind.dtype is DataType.FP4


def extents(writer: Writer, shape: Sequence[Expr], kind: Type, *, depth: int | None = None) -> list[str]:
    """A shape as the runtime wants it."""
    if not is_packed(kind) or not shape:
        return [writer.unsigned(extent, depth=depth) for extent in shape]
    leading = [writer.unsigned(extent, depth=depth) for extent in shape[:-1]]
    number = as_int(shape[-1])
    if number is not None:
        return [*leading, _halved(number, "extent", shape[-1].span)]
    name = writer.source.name("fp4_logical_dim", depth=depth)
    text = writer.scalar(shape[-1], depth=depth)
    writer.source.emit(f"const int64_t {name} = static_cast<int64_t>({text});", depth=depth)
    writer.source.emit(f"always_assert({name} > 0 && ({name} & 1u) == 0u);", depth=depth)
    return [*leading, f"static_cast<uint32_t>({name} / {PER_BYTE})"]


def offsets(writer: Writer, start: Sequence[Expr], kind: Type, *, label: str) -> list[str]:
    """Where a window begins, as the runtime wants it."""
    if not is_packed(kind) or not start:
        return [writer.unsigned(offset) for offset in start]
    leading = [writer.unsigned(offset) for offset in start[:-1]]
    number = as_int(start[-1])
    if number is not None:
        return [*leading, _halved(number, "offset", start[-1].span)]
    name = writer.source.name(f"{label}_logical_fp4_offset")
    writer.source.emit(f"uint32_t {name} = {writer.unsigned(start[-1])};")
    writer.source.emit(f"always_assert(({name} & 1u) == 0u);")
    return [*leading, f"({name} / {PER_BYTE})"]


def _halved(number: int, what: str, span: Span) -> str:
    if number % PER_BYTE:
        raise UserError("ORCH025", f"packed FP4 last-axis {what} must be byte-aligned, but it is {number}", span)
    return str(number // PER_BYTE)


def check_axes(kind: Type, axes: Sequence[int], span: Span) -> None:
    """Refuse to move the axis along which elements are packed."""
    if is_packed(kind) and isinstance(kind, TensorType) and len(kind.shape) - 1 in axes:
        raise UserError("ORCH025", "cannot move the packed FP4 last axis of a tensor", span)


def declare_extent(writer: Writer, text: str) -> str:
    """The extent of a last axis in elements, given what the descriptor says."""
    name = writer.source.name("fp4_carrier_dim")
    writer.source.emit(f"const int64_t {name} = {text};")
    writer.source.emit(f"always_assert({name} > 0);")
    return f"{name} * {PER_BYTE}"
