# SPDX-License-Identifier: Apache-2.0
"""A module of kernels: the signature of each, views of the tensors that it uses, its body."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.analysis.pipe_workspace import is_workspace
from pypto_build.errors import Span, UserError
from pypto_build.host import TargetContext
from pypto_build.ir import (
    Call,
    CommCtxType,
    DataType,
    DistributedTensorType,
    Function,
    FunctionType,
    ScalarType,
    TensorType,
    TileType,
    UsedVars,
    Var,
    collect,
    used_vars,
)
from pypto_targets.pto import signals
from pypto_targets.pto.control import emit_body
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.limits import check_signature
from pypto_targets.pto.regions import declare_regions
from pypto_targets.pto.tensors import declare_view
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import value_type

_KINDS = {FunctionType.AIV: "vector", FunctionType.AIC: "cube"}
_POINTER_ONLY = frozenset({"system.set_ffts"})  # what these take needs no view
_BLOCK = ("tile.get_block_idx", "tile.get_block_num")
_HIDDEN: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("deferred_args", ("pld.system.defer_wait",), "__pypto_deferred_raw_args", "!pto.ptr<i64>"),
    ("prefetch_workspace", ("prefetch.make_context",), "", "!pto.ptr<i8>"),
    ("block_idx", _BLOCK, "__pypto_spmd_block_idx", "i32"),
    ("block_num", _BLOCK, "__pypto_spmd_block_num", "i32"),
    ("subblock_idx", ("tile.get_subblock_idx",), "__pypto_spmd_subblock_idx", "i32"),
)
"""Parameters that the runtime fills in: role, the operations that need it, its name (none: the next number), type."""
Line = tuple[str, Span]


def kernel_module(functions: Sequence[Function], context: TargetContext) -> tuple[str, tuple[tuple[int, Span], ...]]:
    """The text of a module and, for its lines, the source places."""
    nowhere = Span.unknown()
    lines: list[Line] = [(f'module attributes {{pto.target_arch = "{context.hardware.arch}"}} {{', nowhere)]
    for function in functions:
        lines.extend(_function(function, context))
    if any("pld.system.defer_wait" in _called(function) for function in functions):
        lines.append((f"  {signals.DECLARATION}", nowhere))
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
    check_signature(function, context)
    kernel = Kernel(function, context)
    parameters = _parameters(kernel)
    kernel.text.span = function.span
    used = _viewed_tensors(function)
    for param in parameter_order(function):
        if param in used and not is_workspace(param):
            declare_view(kernel, param, kernel.values[param])
    declare_regions(kernel)
    kernel.text.begin_body()
    emit_body(kernel, function.body)
    kind = _KINDS.get(function.func_type)
    attributes = f" attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}}" if kind else ""
    nowhere = Span.unknown()
    head = f"  func.func @{function.name}({', '.join(parameters)}){attributes} {{"
    constants = [(f"  {text}", nowhere) for text in kernel.text.constants]
    lines = [*kernel.text.head, *kernel.text.body]
    return [(head, nowhere), *constants, *lines, ("  return", nowhere), ("  }", nowhere)]


def _parameters(kernel: Kernel) -> list[str]:
    """The parameters as they are declared, in order; what they are called goes into the kernel."""
    function = kernel.function
    own = [(param, param.type) for param in parameter_order(function)]
    values: list[Value] = []
    for var, kind in (*own, *((var, ScalarType(DataType.INDEX)) for var in dynamic_dims(function))):
        if isinstance(kind, TileType):
            raise UserError("PTO005", f"kernel {function.name} has a tile parameter {var.name_hint!r}", var.span)
        kernel.values[var] = _parameter(kernel, values, "", value_type(kind))
    called = _called(function)
    for role, operations, name, text in _HIDDEN:
        if called.intersection(operations):
            kernel.hidden[role] = _parameter(kernel, values, name, text)
    _bind_contexts(kernel)
    return [f"{value.name}: {value.type}" for value in values]


def _parameter(kernel: Kernel, values: list[Value], name: str, kind: str) -> Value:
    value = Value(kernel.text.name(name or f"arg{len(values)}"), kind)
    values.append(value)
    return value


def _bind_contexts(kernel: Kernel) -> None:
    """The parameters that stand for the ranks of a tensor, in the order of those tensors."""
    params = kernel.function.params
    windows = [param for param in params if isinstance(param.type, DistributedTensorType)]
    contexts = [param for param in params if isinstance(param.type, CommCtxType)]
    for window, context in zip(windows, contexts, strict=False):
        kernel.communication[window] = kernel.values[context]


def _called(function: Function) -> set[str]:
    return {call.op.name for call in collect(function.body, Call)}


def _viewed_tensors(function: Function) -> set[Var]:
    uses = _TensorUses()
    uses.visit(function.body)
    return {var for var in uses.found if isinstance(var.type, TensorType)}


class _TensorUses(UsedVars):
    """Tensors that some operation reads or writes; what is only returned, or taken as a pointer, needs no view."""

    def visit_return_stmt(self, stmt: object) -> None:
        """What is only handed back is not used."""

    def visit_call(self, call: Call) -> None:
        """What is taken as a pointer is not looked at."""
        if call.op.name not in _POINTER_ONLY:
            self.visit_node(call)
