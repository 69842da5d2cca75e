# SPDX-License-Identifier: Apache-2.0
"""Single elements of tensors, and extents."""

from __future__ import annotations

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    Call,
    TensorType,
    Var,
    as_int,
)
from pypto_targets.orchestration import packed
from pypto_targets.orchestration.cpp import scalar_type
from pypto_targets.orchestration.tensors import declare_array, items
from pypto_targets.orchestration.values import hint
from pypto_targets.orchestration.writer import Writer

_BATCH = 16  # tensors of one allocation call of the runtime


def emit_dim(writer: Writer, call: Call, var: Var) -> None:
    """An extent: the number if it is one, else what the descriptor says."""
    kind, axis = call.args[0].type, as_int(call.args[1])
    if not isinstance(kind, TensorType) or axis is None:
        raise UserError("ORCH013", "the axis of an extent must be a constant", call.span)
    axis %= len(kind.shape)
    number = as_int(kind.shape[axis])
    text = str(number) if number is not None else f"(int64_t){writer.tensor(call.args[0])}.shapes[{axis}]"
    if number is None and packed.is_packed(kind) and axis == len(kind.shape) - 1:
        text = packed.declare_extent(writer, text)
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
