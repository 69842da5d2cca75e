# SPDX-License-Identifier: Apache-2.0
"""Tensors that an orchestration function allocates: as early as their shapes are known, many in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    DataType,
    Expr,
    Stmt,
    TensorType,
    Var,
    as_expr,
)
from pypto_targets.orchestration import packed
from pypto_targets.orchestration.cpp import real, runtime_type, scalar_type
from pypto_targets.orchestration.tensors import declare_array
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import hint
from pypto_targets.orchestration.workspaces import blocks_of
from pypto_targets.orchestration.writer import Writer, vars_in

_BATCH = 16  # tensors of one allocation call of the runtime


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
    shape = stmt.var.type.shape if isinstance(stmt.var.type, TensorType) else ()
    blocks = blocks_of(writer.workspaces.get(stmt.var))
    return all(var in writer.values for var in vars_in((*shape, *blocks)))


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
    extents = _extents(writer, stmt.var, stmt.var.type, depth=depth)
    kind = runtime_type(stmt.var.type.dtype, stmt.span)
    manual = ", /*manual_dep=*/true" if call.kwargs.get("manual_dep") else ""
    shapes = declare_array(writer, f"{info}_shapes", extents, depth=depth)
    source.emit(f"TensorCreateInfo {info}({shapes}, {len(extents)}, {kind}{manual});", depth=depth)
    initial = call.kwargs.get("init_value")
    if isinstance(initial, int | float):
        text = _initial(initial, stmt.var.type.dtype, call)
        source.emit(f"{info}.set_initial_value({text});", depth=depth)
    return name, info


def _extents(writer: Writer, var: Var, kind: TensorType, *, depth: int) -> list[str]:
    """The shape of a tensor as the runtime wants it; that of a workspace follows from its launch."""
    workspace = writer.workspaces.get(var)
    if workspace is None:
        return packed.extents(writer, kind.shape, kind, depth=depth)
    elements, blocks = workspace
    if blocks is None:
        return [str(elements)]
    count = writer.scalar(blocks if isinstance(blocks, Expr) else as_expr(cast("int", blocks)), depth=depth)
    return [f"static_cast<uint32_t>(({elements}) * ({count}))"]


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
