# SPDX-License-Identifier: Apache-2.0
"""Tensors of an orchestration function: allocation, windows, other shapes of the same memory, single elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    DataType,
    Expr,
    MakeTuple,
    Stmt,
    TensorType,
    Var,
    as_int,
)
from pypto_targets.orchestration.cpp import real, runtime_type, scalar_type
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import hint
from pypto_targets.orchestration.writer import Writer, vars_in

_BATCH = 16  # tensors of one allocation call of the runtime


# -- allocation --------------------------------------------------------------------------------------------------------


def allocate_ahead(writer: Writer, body: Iterable[Stmt]) -> None:
    """Allocate at the head of a body what it creates, in as few calls as the runtime takes.

    A tensor whose shape is computed in the body waits for that.
    """
    ready: dict[int, list[AssignStmt]] = {}
    for stmt in body:
        if isinstance(stmt, AssignStmt) and _is_create(stmt.value) and _shape_is_known(writer, stmt):
            depth = min(writer.plan.hoisted.get(stmt.var, writer.source.depth), writer.source.depth)
            ready.setdefault(depth, []).append(stmt)
    for depth, stmts in ready.items():
        for begin in range(0, len(stmts), _BATCH):
            _allocate(writer, stmts[begin : begin + _BATCH], depth)


def _is_create(value: Expr) -> bool:
    return isinstance(value, Call) and value.op.name == "tensor.create"


def _shape_is_known(writer: Writer, stmt: AssignStmt) -> bool:
    return isinstance(stmt.value, Call) and all(var in writer.values for var in vars_in(stmt.value.args))


def create(writer: Writer, stmt: AssignStmt) -> None:
    """A tensor.create where it stands, unless it was done ahead."""
    if stmt not in writer.allocated:
        _allocate(writer, [stmt], min(writer.plan.hoisted.get(stmt.var, writer.source.depth), writer.source.depth))


def _allocate(writer: Writer, stmts: Sequence[AssignStmt], depth: int) -> None:
    infos = [_create_info(writer, stmt, depth) for stmt in stmts]
    alloc = writer.source.name(f"alloc_{writer.count('alloc')}", depth=depth)
    names = ", ".join(info.text for _, info in infos)
    writer.source.emit(f"TaskOutputTensors {alloc} = alloc_tensors({names});", depth=depth)
    for index, (stmt, (name, _)) in enumerate(zip(stmts, infos, strict=True)):
        writer.source.emit(f"const ChipTensor& {name} = {alloc}.get_ref({index});", depth=depth)
        writer.values[stmt.var] = name
        writer.allocated.add(stmt)


def _create_info(writer: Writer, stmt: AssignStmt, depth: int) -> tuple[Name, Name]:
    call, source = stmt.value, writer.source
    if not isinstance(call, Call) or not isinstance(stmt.var.type, TensorType):
        raise InternalError("a created value is no tensor", stmt.span)
    source.span = stmt.span
    name = source.name(hint(stmt.var), depth=depth, var=stmt.var)
    info = source.name(f"{name}_ci", depth=depth)
    extents = [writer.unsigned(dim, depth=depth) for dim in items(call.args[0])]
    kind = runtime_type(stmt.var.type.dtype, stmt.span)
    manual = ", /*manual_dep=*/true" if call.kwargs.get("manual_dep") else ""
    shapes = declare_array(writer, f"{info}_shapes", extents, depth=depth)
    source.emit(f"TensorCreateInfo {info}({shapes}, {len(extents)}, {kind}{manual});", depth=depth)
    initial = call.kwargs.get("init_value")
    if isinstance(initial, int | float):
        text = _initial(initial, stmt.var.type.dtype, call)
        source.emit(f"{info}.set_initial_value({text});", depth=depth)
    return name, info


def _initial(value: float, dtype: DataType, call: Call) -> str:
    if value == 0:
        return "0"
    if dtype.is_int() or dtype is DataType.BOOL:
        if value != int(value):
            text = f"init_value {value} is not an integer but the tensor holds {dtype}"
            raise UserError("ORCH011", text, call.span)
        return f"static_cast<{scalar_type(dtype, call.span)}>({int(value)})"
    if dtype is not DataType.FP32:
        text = f"a non-zero init_value is not supported for tensors of {dtype}"
        raise UserError("ORCH011", text, call.span, help="create the tensor without it and fill it in a kernel")
    return f"static_cast<float>({real(float(value)).removesuffix('f')})"


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


# -- the same memory, seen otherwise -----------------------------------------------------------------------------------


def emit_slice(writer: Writer, call: Call, var: Var) -> None:
    """A window; it is cut at the end of its source, because the runtime does not check."""
    source, label = writer.tensor(call.args[0]), hint(var)
    offsets = declare_array(writer, f"{label}_offsets", [writer.unsigned(e) for e in items(call.args[2])])
    window = _optional(call, 3) or items(call.args[1])
    rank = len(items(call.args[2]))
    extents = ["1"] * (rank - len(window)) + [writer.unsigned(extent) for extent in window]
    cut = [_cut(source, offsets, axis, extent) for axis, extent in enumerate(extents)]
    shapes = declare_array(writer, f"{label}_shapes", cut)
    dropped = [as_int(axis) for axis in _optional(call, 4)]
    text = f"{source}.view({shapes}, {offsets})"
    if dropped or rank != len(window):
        _without_axes(writer, var, text, source=call.args[0], kept=[i for i in range(rank) if i not in dropped])
    else:
        writer.declare_tensor(var, text, source=call.args[0])


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
    extents = [writer.unsigned(extent) for extent in items(call.args[1])]
    shapes = declare_array(writer, f"{hint(var)}_shapes", extents)
    writer.declare_tensor(var, f"{source}.reshape({shapes}, {len(extents)})", source=call.args[0])


def emit_transpose(writer: Writer, call: Call, var: Var) -> None:
    """Two axes exchanged, by descriptor only."""
    rank = len(call.args[0].type.shape) if isinstance(call.args[0].type, TensorType) else 0
    axes = [as_int(axis) for axis in call.args[1:3]]
    if rank == 0 or None in axes:
        raise UserError("ORCH012", "the axes of a transposition must be constants", call.span)
    first, second = (axis % rank for axis in axes if axis is not None)
    source = writer.tensor(call.args[0])
    writer.declare_tensor(var, f"{source}.transpose({first}, {second})", source=call.args[0])


def emit_assemble(writer: Writer, call: Call, var: Var) -> None:
    """The tensor that was written into: its window was written by the launch before."""
    writer.values[var] = writer.value(call.args[0])


# -- single elements ---------------------------------------------------------------------------------------------------


def emit_dim(writer: Writer, call: Call, var: Var) -> None:
    """An extent: the number if it is one, else what the descriptor says."""
    kind, axis = call.args[0].type, as_int(call.args[1])
    if not isinstance(kind, TensorType) or axis is None:
        raise UserError("ORCH013", "the axis of an extent must be a constant", call.span)
    axis %= len(kind.shape)
    number = as_int(kind.shape[axis])
    text = str(number) if number is not None else f"(int64_t){writer.tensor(call.args[0])}.shapes[{axis}]"
    writer.declare(var, text)
    writer.natural.add(var)


def emit_read(writer: Writer, call: Call, var: Var) -> None:
    """One element; the runtime waits for whoever writes it."""
    source, kind = writer.tensor(call.args[0]), writer.cpp_type(var.type, call)
    indices = [writer.unsigned(index) for index in items(call.args[1])]
    name = declare_array(writer, f"indices_{hint(var)}", indices)
    writer.declare(var, f"get_tensor_data<{kind}>({source}, {len(indices)}, {name})")


def emit_write(writer: Writer, call: Call, var: Var | None) -> None:
    """Store one element."""
    target, kind = call.args[0], call.args[0].type
    if not isinstance(kind, TensorType):
        raise InternalError("only a tensor can be written", call.span)
    indices = [writer.unsigned(index) for index in items(call.args[1])]
    label = hint(target) if isinstance(target, Var) else "tensor"
    name = declare_array(writer, f"indices_{label}", indices)
    text = f"{writer.tensor(target)}, {len(indices)}, {name}, {writer.scalar(call.args[2])}"
    writer.source.emit(f"set_tensor_data<{scalar_type(kind.dtype, call.span)}>({text});")
    if var is not None:
        writer.values[var] = writer.value(target)
