# SPDX-License-Identifier: Apache-2.0
"""Results of launches: each is the buffer that was passed for it, or one that the runtime allocates with the task."""

from __future__ import annotations

from pypto_build.errors import UserError
from pypto_build.ir import Call, Function, ParamDirection, Submit, TensorType, TupleType, Var, as_int
from pypto_targets.orchestration import packed
from pypto_targets.orchestration.cpp import runtime_type
from pypto_targets.orchestration.tensors import declare_array
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Made, Missing, Value, hint
from pypto_targets.orchestration.writer import Writer


def missing_outputs(callee: Function, call: Call | Submit) -> list[int]:
    """The outputs at the end of the parameters that a call does not pass: the runtime allocates them."""
    positions = list(range(len(call.args), len(callee.params)))
    for position in positions:
        param = callee.params[position]
        if callee.param_directions[position] is not ParamDirection.Out or not isinstance(param.type, TensorType):
            text = f"the launch of {callee.name!r} lacks its argument {param.name_hint!r}"
            raise UserError("ORCH026", text, call.span)
    return positions


def emit_missing_outputs(writer: Writer, args: Name, call: Call | Submit) -> None:
    """Say what the runtime has to allocate with the task."""
    callee = writer.callees.get(call)
    for position in missing_outputs(callee, call):
        kind = callee.params[position].type
        if not isinstance(kind, TensorType) or any(as_int(extent) is None for extent in kind.shape):
            text = f"output {callee.params[position].name_hint!r} must be passed: its shape is known at run time only"
            raise UserError("ORCH026", text, call.span)
        info = writer.source.name(f"{args}_synth_out_{position}")
        extents = packed.extents(writer, kind.shape, kind)
        shapes = declare_array(writer, f"{info}_shapes", extents)
        element = runtime_type(kind.dtype, call.span)
        writer.source.emit(f"TensorCreateInfo {info}({shapes}, {len(extents)}, {element});")
        writer.source.emit(f"{args}.add_output({info});")


def bind_results(writer: Writer, call: Call | Submit, var: Var | None, *, task: Name | None, outs: Name | None) -> None:
    """Name the results of a launch; the last one of a submission is the id of its task."""
    if var is None:
        return
    if isinstance(var.type, TupleType):
        count = len(var.type.types) - (1 if isinstance(call, Submit) else 0)
        results = [_result(writer, call, index, outs=outs) for index in range(count)]
        last: Value = task if task is not None else Missing(count)
        writer.values[var] = (*results, last) if isinstance(call, Submit) else tuple(results)
        return
    if isinstance(call, Submit):
        return  # its only result is the task id, which has been declared
    value = _result(writer, call, 0, outs=outs)
    if isinstance(value, Made):
        name_allocated(writer, var, value)
    else:
        writer.values[var] = value


def _result(writer: Writer, call: Call | Submit, index: int, *, outs: Name | None) -> Value:
    position = writer.callees.returned_position(call, index)
    if position is None:
        return Missing(index)
    if position < len(call.args):
        return writer.value(call.args[position])
    return Made(f"{outs}.get_ref({position - len(call.args)})", outs) if outs is not None else Missing(index)


def name_allocated(writer: Writer, var: Var, made: Made) -> None:
    """Give a tensor that was allocated with a task the name of its variable."""
    if writer.plan.hoisted.get(var, writer.source.depth) < writer.source.depth:
        text = f"{hint(var)!r} is allocated by a launch, so it ends with the scope of that launch but is read after it"
        raise UserError("ORCH027", text, var.span, help="create the tensor before the scope and pass it to the launch")
    name = writer.source.name(hint(var), var=var)
    writer.source.emit(f"const ChipTensor& {name} = {made.text};")
    writer.values[var] = name
