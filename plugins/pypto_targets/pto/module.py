# SPDX-License-Identifier: Apache-2.0
"""A module of kernels: the signature of each, views of the tensors that it uses, its body."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import Span, UserError
from pypto_build.host import TargetContext
from pypto_build.ir import (
    Call,
    DataType,
    Function,
    FunctionType,
    ScalarType,
    TensorType,
    Type,
    UsedVars,
    Var,
    collect,
    used_vars,
)
from pypto_targets.pto.control import emit_body
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.tensors import declare_view
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import value_type

_KINDS = {FunctionType.AIV: "vector", FunctionType.AIC: "cube"}
HIDDEN = {
    "tile.get_block_idx": "__pypto_spmd_block_idx",
    "tile.get_block_num": "__pypto_spmd_block_num",
    "tile.get_subblock_idx": "__pypto_spmd_subblock_idx",
}
Line = tuple[str, Span]


def kernel_module(functions: Sequence[Function], context: TargetContext) -> tuple[str, tuple[tuple[int, Span], ...]]:
    """The text of a module and, for its lines, the source places."""
    nowhere = Span.unknown()
    lines: list[Line] = [(f'module attributes {{pto.target_arch = "{context.hardware.arch}"}} {{', nowhere)]
    for function in functions:
        lines.extend(_function(function, context))
    lines.append(("}", nowhere))
    places = tuple((number, span) for number, (_, span) in enumerate(lines, 1) if span.is_valid())
    return "\n".join(text for text, _ in lines) + "\n", places


def parameter_order(function: Function) -> tuple[Var, ...]:
    """Tensors first, then the rest: the order in which the runtime passes arguments."""
    tensors = [param for param in function.params if isinstance(param.type, TensorType)]
    return (*tensors, *(param for param in function.params if not isinstance(param.type, TensorType)))


def dynamic_dims(function: Function) -> tuple[Var, ...]:
    """The symbols in the shapes of tensor parameters that are no parameters themselves, in order of appearance."""
    named = used_vars(*(param.type for param in function.params if isinstance(param.type, TensorType)))
    return tuple(var for var in named if isinstance(var.type, ScalarType) and var not in function.params)


def _function(function: Function, context: TargetContext) -> list[Line]:
    kernel = Kernel(function, context)
    parameters = _parameters(kernel)
    used = _used_tensors(function)
    kernel.text.span = function.span
    for param in parameter_order(function):
        if isinstance(param.type, TensorType) and param in used:
            declare_view(kernel, param, kernel.values[param])
    emit_body(kernel, function.body)
    kind = _KINDS.get(function.func_type)
    attributes = f" attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}}" if kind else ""
    nowhere = Span.unknown()
    head = f"  func.func @{function.name}({', '.join(parameters)}){attributes} {{"
    constants = [(f"  {text}", nowhere) for text in kernel.text.constants]
    return [(head, nowhere), *constants, *kernel.text.body, ("  return", nowhere), ("  }", nowhere)]


def _parameters(kernel: Kernel) -> list[str]:
    function = kernel.function
    result: list[str] = []
    names: list[tuple[Var, Type]] = [(param, param.type) for param in parameter_order(function)]
    names += [(var, ScalarType(DataType.INDEX)) for var in dynamic_dims(function)]
    for number, (var, kind) in enumerate(names):
        if type(kind).__name__ == "TileType":
            raise UserError("PTO005", f"kernel {function.name} has a tile parameter {var.name_hint!r}", var.span)
        value = Value(kernel.text.name(f"arg{number}"), value_type(kind))
        kernel.values[var] = value
        result.append(f"{value.name}: {value.type}")
    called = {call.op.name for call in collect(function.body, Call)}
    for op, name in HIDDEN.items():
        pair = {"tile.get_block_idx", "tile.get_block_num"}
        if op in called or (op in pair and pair & called):
            result.append(f"{kernel.text.name(name)}: i32")
    return result


def _used_tensors(function: Function) -> set[Var]:
    uses = _TensorUses()
    uses.visit(function.body)
    return set(uses.found)


class _TensorUses(UsedVars):
    """Tensors that some operation reads or writes; one that is only returned needs no view."""

    def visit_return_stmt(self, stmt: object) -> None:
        """What is only handed back is not used."""
