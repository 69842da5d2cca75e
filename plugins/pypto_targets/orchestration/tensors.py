# SPDX-License-Identifier: Apache-2.0
"""The memory of a tensor seen otherwise: windows, other shapes, other orders of the axes."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    Call,
    Expr,
    MakeTuple,
    TensorLayout,
    TensorType,
    Var,
    as_int,
    structural_equal,
)
from pypto_targets.orchestration import packed
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Window, hint, same
from pypto_targets.orchestration.writer import Writer


def declare_array(writer: Writer, label: str, items_: Sequence[str], *, depth: int | None = None) -> Name:
    """A small array of extents, offsets or indices."""
    name = writer.source.name(label, depth=depth)
    writer.source.emit(f"uint32_t {name}[{len(items_)}] = {{{', '.join(items_)}}};", depth=depth)
    return name


def items(expr: Expr) -> tuple[Expr, ...]:
    """The elements of a shape, an offset or an index."""
    if isinstance(expr, MakeTuple):
        return expr.elements
    raise InternalError("a shape, offset or index must be a tuple", expr.span)


def emit_slice(writer: Writer, call: Call, var: Var) -> None:
    """A window; it is cut at the end of its source, because the runtime does not check."""
    kind = call.args[0].type
    source, label = writer.tensor(call.args[0]), hint(var)
    begin = packed.offsets(writer, items(call.args[2]), kind, label=label)
    offsets = declare_array(writer, f"{label}_offsets", begin)
    window = items(call.args[1])
    rank = len(items(call.args[2]))
    extents = ["1"] * (rank - len(window)) + packed.extents(writer, window, kind)
    cut = [_cut(source, offsets, axis, extent) for axis, extent in enumerate(extents)]
    shapes = declare_array(writer, f"{label}_shapes", cut)
    dropped = [as_int(axis) for axis in _optional(call, 4)]
    text = f"{source}.view({shapes}, {offsets})"
    if dropped or rank != len(window):
        _without_axes(writer, var, text, source=call.args[0], kept=[i for i in range(rank) if i not in dropped])
    else:
        name = writer.declare_tensor(var, text, source=call.args[0])
        writer.windows[name] = Window(writer.value(call.args[0]), items(call.args[2]))


def _optional(call: Call, index: int) -> tuple[Expr, ...]:
    """The elements of an operand that need not be there."""
    return items(call.args[index]) if len(call.args) > index else ()


def _cut(source: str, offsets: Name, axis: int, extent: str) -> str:
    end, begin = f"{source}.shapes[{axis}]", f"{offsets}[{axis}]"
    return f"({begin} >= {end} ? 0u : std::min<uint32_t>({extent}, {end} - {begin}))"


def _without_axes(writer: Writer, var: Var, text: str, *, source: Expr, kept: Sequence[int]) -> None:
    """A view with axes left out of its shape; whether it is contiguous has to be found out anew."""
    label, emit = hint(var), writer.source.emit
    view = writer.source.name(f"{label}_view")
    emit(f"ChipTensor {view} = {text};")
    name = writer.declare_tensor(var, view.text, source=source)
    empty, contiguous = writer.source.name(f"{label}_empty"), writer.source.name(f"{label}_contiguous")
    extent = writer.source.name(f"{label}_extent")
    emit(f"bool {empty} = {view}.numel() == 0;")
    emit(f"{name}.ndims = {len(kept)};")
    for new, old in enumerate(kept):
        emit(f"{name}.shapes[{new}] = {view}.shapes[{old}];")
        emit(f"{name}.strides[{new}] = {view}.strides[{old}];")
    emit(f"if ({empty}) {name}.shapes[0] = 0;")
    emit(f"bool {contiguous} = true;")
    emit(f"uint64_t {extent} = 1;")
    for axis in reversed(range(len(kept))):
        unit = f"{name}.shapes[{axis}] == 1"
        emit(f"{contiguous} = {contiguous} && ({unit} || {name}.strides[{axis}] == {extent});")
        emit(f"{extent} *= {name}.shapes[{axis}];")
    emit(f"{name}.is_contiguous = {empty} || {contiguous};")


def emit_reshape(writer: Writer, call: Call, var: Var) -> None:
    """Another shape of the same memory."""
    source = writer.tensor(call.args[0])
    extents = packed.extents(writer, items(call.args[1]), call.args[0].type)
    shapes = declare_array(writer, f"{hint(var)}_shapes", extents)
    writer.declare_tensor(var, f"{source}.reshape({shapes}, {len(extents)})", source=call.args[0])


def emit_view(writer: Writer, call: Call, var: Var) -> None:
    """Another shape, or the last two axes exchanged, but not both: the runtime has no strided reshape."""
    source = call.args[0]
    before, after = _layout(source), _layout(var)
    if len(call.args) > 1 and items(call.args[1]):
        if before is not after:
            raise UserError("ORCH012", "tensor.view cannot combine shape reinterpret with another layout", call.span)
        if before is not TensorLayout.ND:
            raise UserError("ORCH012", "tensor.view only supports shape reinterpret for ND layout", call.span)
        emit_reshape(writer, call, var)
        return
    text = writer.tensor(source)
    if before is not after:
        rank = _rank(source)
        packed.check_axes(source.type, (rank - 2, rank - 1), call.span)
        text = f"{text}.transpose({rank - 2}, {rank - 1})"
    writer.declare_tensor(var, text, source=source)


def _layout(expr: Expr) -> TensorLayout:
    view = expr.type.tensor_view if isinstance(expr.type, TensorType) else None
    return view.layout if view is not None else TensorLayout.ND


def _rank(expr: Expr) -> int:
    return len(expr.type.shape) if isinstance(expr.type, TensorType) else 0


def emit_transpose(writer: Writer, call: Call, var: Var) -> None:
    """Two axes exchanged, by descriptor only."""
    rank = _rank(call.args[0])
    axes = [as_int(axis) for axis in call.args[1:3]]
    if rank == 0 or None in axes:
        raise UserError("ORCH012", "the axes of a transposition must be constants", call.span)
    first, second = (axis % rank for axis in axes if axis is not None)
    packed.check_axes(call.args[0].type, (first, second), call.span)
    source = writer.tensor(call.args[0])
    writer.declare_tensor(var, f"{source}.transpose({first}, {second})", source=call.args[0])


def emit_assemble(writer: Writer, call: Call, var: Var) -> None:
    """The tensor with a window written: that is so already when the source is that window, and nothing else will do."""
    target, source = writer.value(call.args[0]), writer.value(call.args[1])
    window = writer.windows.get(source) if isinstance(source, Name) else None
    inside = window is not None and same(window.source, target) and _same_offsets(window, items(call.args[2]))
    if not inside and not same(source, target):
        raise UserError(
            "ORCH024",
            "tensor.assemble in an Orchestration function would have to copy: its source lies in memory of its own",
            call.span,
            help="let the kernel write into a window of the target, as in pl.slice(target, shape, offset)",
        )
    writer.values[var] = target


def _same_offsets(window: Window, offsets: Sequence[Expr]) -> bool:
    return len(window.offsets) == len(offsets) and all(map(structural_equal, window.offsets, offsets))
