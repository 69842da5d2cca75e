# SPDX-License-Identifier: Apache-2.0
"""Launches: the arguments of a task, what it waits for, where it runs, and what its results are called."""

from __future__ import annotations

from typing import cast

from pypto_build.errors import UserError
from pypto_build.ir import (
    ArgDirection,
    Call,
    CommCtxType,
    DataType,
    Expr,
    ScalarType,
    Submit,
    TupleType,
    Var,
    as_expr,
)
from pypto_targets.orchestration.callees import DUAL, Kernel, Launch
from pypto_targets.orchestration.cpp import scalar_type
from pypto_targets.orchestration.dependencies import emit_dependencies
from pypto_targets.orchestration.outputs import bind_results, emit_missing_outputs, missing_outputs
from pypto_targets.orchestration.predicates import emit_predicate
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import hint
from pypto_targets.orchestration.writer import INVALID_TASK, Writer, is_task_id

_ADD = {
    ArgDirection.Input: "add_input",
    ArgDirection.Output: "add_output",
    ArgDirection.OutputExisting: "add_output",
    ArgDirection.InOut: "add_inout",
    ArgDirection.NoDep: "add_no_dep",
}
_WRITES = (ArgDirection.Output, ArgDirection.OutputExisting, ArgDirection.InOut)
_INACTIVE = "INVALID_KERNEL_ID"
_TENSORS, _SCALARS = 32, 16  # what one task of the runtime can take


def emit_launch(writer: Writer, call: Call | Submit, var: Var | None) -> None:
    """A task, and the names of its results: each is the argument that it was written into."""
    launch = writer.callees.launch(call)
    number = writer.count("task")
    source = writer.source
    source.emit("")
    source.emit(f"// Task {number}: {call.op.name}")
    args = source.name(f"params_t{number}")
    source.emit(f"CoreTaskArgs {args};")
    _emit_arguments(writer, args, call, launch=launch)
    _emit_dumps(writer, args, call)
    emit_predicate(writer, args, call, number=number)
    emit_dependencies(writer, args, call)
    task_id = _wanted_task_id(writer, call, var)
    submit = _submission(writer, args, call, launch=launch, number=number)
    allocates = bool(missing_outputs(writer.callees.get(call), call))
    awaited = _awaited_values(writer, call, var)
    if task_id is None and not awaited and not allocates and not (isinstance(call, Submit) and writer.manual_depth):
        source.emit(f"{submit};")
        bind_results(writer, call, var, task=None, outs=None)
        return
    outs = source.name(f"task_{number}_outs")
    source.emit(f"TaskOutputTensors {outs} = {submit};")
    task = _declare_task_id(writer, task_id, outs) if task_id is not None else None
    for value in awaited:
        writer.task_of[value] = task if task is not None else _declare_kept_id(writer, call, value, outs=outs)
    bind_results(writer, call, var, task=task, outs=outs)


# -- arguments ---------------------------------------------------------------------------------------------------------


def _emit_arguments(writer: Writer, args: Name, call: Call | Submit, *, launch: Launch) -> None:
    """Tensors first, then scalars: the order in which the runtime hands them to the kernel."""
    _check_count(call, launch)
    scalars: list[str] = []
    for arg, direction in zip(launch.args, launch.directions, strict=True):
        if direction is ArgDirection.Scalar:
            scalars.append(f"{args}.add_scalar({_scalar(writer, arg)});")
        else:
            writer.source.emit(f"{args}.{_ADD[direction]}({writer.tensor(arg)});")
    emit_missing_outputs(writer, args, call)
    for line in scalars:
        writer.source.emit(line)


def _check_count(call: Call | Submit, launch: Launch) -> None:
    scalars = sum(direction is ArgDirection.Scalar for direction in launch.directions)
    tensors = len(launch.args) - scalars
    if tensors > _TENSORS or scalars > _SCALARS:
        text = f"{call.op.name!r} takes {tensors} tensors and {scalars} scalars; a task takes {_TENSORS} and {_SCALARS}"
        raise UserError("ORCH029", text, call.span)


def _scalar(writer: Writer, arg: Expr) -> str:
    if isinstance(arg.type, CommCtxType):
        return writer.text(writer.value(arg), arg)
    if not isinstance(arg.type, ScalarType):
        raise UserError("ORCH014", f"a task cannot take an argument of type {type(arg.type).__name__}", arg.span)
    scalar_type(arg.type.dtype, arg.span)
    text = writer.scalar(arg)
    return f"to_u64({text})" if arg.type.dtype is DataType.FP32 else text


def _emit_dumps(writer: Writer, args: Name, call: Call | Submit) -> None:
    for item in cast("tuple[object, ...]", call.attrs.get("dump_vars", ())):
        if isinstance(item, Var):
            writer.source.emit(f"{args}.dump({writer.tensor(item)});")


# -- where it runs -----------------------------------------------------------------------------------------------------


def _submission(writer: Writer, args: Name, call: Call | Submit, *, launch: Launch, number: int) -> str:
    """The call that submits the task, after what it needs has been written."""
    single = launch.kernels[0] if len(launch.kernels) == 1 and not _is_dual(launch.kernels[0]) else None
    mixed: Name | None = None
    if single is None:
        mixed = writer.source.name(f"mixed_{number}")
        writer.source.emit(f"MixedKernels {mixed} = {{{', '.join(_slots(launch, call))}}};")
    _emit_launch_spec(writer, args, call, launch=launch)
    if mixed is not None:
        return f"rt_submit_task({mixed}, {args})"
    kernel = launch.kernels[0]
    return f"rt_submit_{kernel.core_type}_task({kernel.func_id}, {args})"


def _is_dual(kernel: Kernel) -> bool:
    return kernel.core_type == "aiv" and bool(kernel.function.attrs.get(DUAL))


def _slots(launch: Launch, call: Call | Submit) -> tuple[str, str, str]:
    """The kernels of the cube core and of the two vector cores of a cluster."""
    cube = [kernel for kernel in launch.kernels if kernel.core_type == "aic"]
    vector = [kernel for kernel in launch.kernels if kernel.core_type == "aiv"]
    if len(cube) > 1 or len(vector) > 2:
        text = f"{call.op.name!r} has {len(cube)} cube and {len(vector)} vector kernels; a cluster takes one and two"
        raise UserError("ORCH015", text, call.span)
    lanes = [str(kernel.func_id) for kernel in vector]
    if len(vector) == 1:
        lanes.append(lanes[0] if _is_dual(vector[0]) else _INACTIVE)
    first, second = lanes or (_INACTIVE, _INACTIVE)
    return (str(cube[0].func_id) if cube else _INACTIVE, first, second)


def _emit_launch_spec(writer: Writer, args: Name, call: Call | Submit, *, launch: Launch) -> None:
    emit = writer.source.emit
    if launch.core_num is not None:
        blocks = launch.core_num
        text = writer.scalar(blocks if isinstance(blocks, Expr) else as_expr(cast("int", blocks)))
        setter = "set_core_num" if writer.context.hardware.arch == "a5" else "set_block_num"
        emit(f"{args}.launch_spec.{setter}({text});")
    if launch.sync_start:
        emit(f"{args}.launch_spec.set_require_sync_start(true);")
    early = call.allow_early_resolve if isinstance(call, Submit) else bool(call.attrs.get("allow_early_resolve"))
    if early:
        emit(f"{args}.set_allow_early_resolve(true);")


# -- task ids ----------------------------------------------------------------------------------------------------------


def _wanted_task_id(writer: Writer, call: Call | Submit, var: Var | None) -> Var | None:
    """The variable that the task's id is bound to, if anybody asks for it."""
    if var is None or not isinstance(call, Submit):
        return None
    return writer.task_ids.get(var) if isinstance(var.type, TupleType) else var


def _awaited_values(writer: Writer, call: Call | Submit, var: Var | None) -> list[Var]:
    """The values by which derived edges name a task: its result, or what it writes if nobody takes the result."""
    if var is not None:
        return [var] if var in writer.awaited.names and not is_task_id(var) else []
    return [arg for arg in call.args if isinstance(arg, Var) and arg in writer.awaited.names and _is_written(call, arg)]


def _is_written(call: Call | Submit, arg: Var) -> bool:
    directions = cast("tuple[ArgDirection, ...]", call.attrs.get("arg_directions", ()))
    return any(one is arg and d in _WRITES for one, d in zip(call.args, directions, strict=False))


def _declare_kept_id(writer: Writer, call: Call | Submit, value: Var, *, outs: Name) -> Name:
    """Keep the id of a task for derived edges, whose tasks may stand outside of the block of this one."""
    key, source = writer.plan.task_id_of(value, call), writer.source
    depth = min(writer.plan.hoisted.get(key, source.depth), source.depth)
    name = source.name(hint(key), depth=depth, var=key)
    source.emit(f"PTO2TaskId {name} = {INVALID_TASK};", depth=depth)
    source.emit(f"{name} = {outs}.task_id();")
    return name


def _declare_task_id(writer: Writer, var: Var, outs: Name) -> Name:
    name = writer.declare(var, f"{outs}.task_id()")
    if writer.plan.hoisted.get(var) is None:
        writer.fresh.add(name)
    return name
