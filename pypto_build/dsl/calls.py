# SPDX-License-Identifier: Apache-2.0
"""Calls: operations by dotted name, kernels of the program, inlined functions, and Python functions of constants."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import NoReturn, cast

from pypto_build.dsl.arguments import Arguments, dotted, frozen, read_arguments
from pypto_build.dsl.built import REFUSALS, refusal_text
from pypto_build.dsl.comm_domains import with_buffer
from pypto_build.dsl.constants import check_range, is_ir, to_expr
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import (
    BUG_CLASS_EXCEPTIONS,
    InvalidOperationError,
    ParserError,
    ParserSyntaxError,
    UnsupportedFeatureError,
)
from pypto_build.dsl.folding import SAFE_BUILTINS, check_arguments
from pypto_build.dsl.host_only import HOST_ONLY, check_host
from pypto_build.dsl.inline import InlineFunction, expand
from pypto_build.dsl.jit.calls import call_specialized
from pypto_build.dsl.jit.function import JITFunction
from pypto_build.dsl.kernels import call_function
from pypto_build.dsl.language.kernel import KernelName
from pypto_build.dsl.scalar_calls import SCALAR_CALLS
from pypto_build.dsl.special_calls import SPECIAL_CALLS
from pypto_build.ir import Call, ConstFloat, Expr, Function, FunctionType, ScalarType, ShapedType, frozen_map, rebuilt
from pypto_build.ops.build.notices import warn_at

_UNKNOWN_HINT = "Check spelling, or use pl.tensor.*/pl.tile.*/pl.system.* for explicit namespacing"
_SCALAR_HINT = "Scalars take Python operators: a + b, a * b, -a, a < b"
_TASK_DUMMY_ONLY = frozenset({"manual_dep_edges", "dummy_task"})  # attributes that its deps= stands for
_STATEMENT_ONLY = {
    "yield_": "pl.yield_() must be a statement of its own or the right side of an assignment",
    "submit": "The results of pl.submit(...) must be unpacked: out, tid = pl.submit(self.kernel, ...)",
    "spmd_submit": "The results of pl.spmd_submit(...) must be unpacked: out, tid = pl.spmd_submit(self.kernel, ...)",
    "static_print": "pl.static_print() must be a statement of its own",
    "static_assert": "pl.static_assert() must be a statement of its own",
    "func_attr": "pl.func_attr() must be a statement of its own",
    "dump_tag": "pl.dump_tag() must be a statement of its own",
    "cond": "pl.cond() may only be the first statement of a pl.while_() loop",
}


def language_path(context: Context, func: ast.expr) -> tuple[str, ...] | None:
    """The dotted name of something of the language (`pl.tile.load`), however its module was imported."""
    if isinstance(func, ast.Name):
        return None
    parts = dotted(func)
    if parts is None or context.scope.lookup(parts[0]) is not None:
        return None
    root = _language_root(context, parts[0])
    return None if root is None else root + parts[1:]


def _language_root(context: Context, name: str) -> tuple[str, ...] | None:
    value = context.closure.get(name)
    if value is None:
        return (name,) if name in ("pl", "pld") else None
    if not isinstance(value, ModuleType):
        return None
    _, found, rest = value.__name__.partition(".language")
    if not found:
        return None
    inner = tuple(rest.split(".")[1:])
    return ("pld", *inner[1:]) if inner[:1] == ("distributed",) else ("pl", *inner)


def read_call(context: Context, node: ast.expr) -> object:
    """Any call inside an expression."""
    call = cast("ast.Call", node)
    if isinstance(call.func, ast.Name):
        return _call_name(context, call, call.func.id)
    parts = dotted(call.func)
    if parts is None:
        return _call_python(context, call)
    if len(parts) == 2 and parts[0] == context.facts.self_name and context.scope.lookup(parts[0]) is None:
        return call_function(context, call, name=parts[1])
    path = language_path(context, call.func)
    if path is None:
        return _call_python(context, call)
    return call_operation(context, call, path)


def _call_name(context: Context, call: ast.Call, name: str) -> object:
    target = None if context.scope.lookup(name) is not None else context.closure.get(name)
    if isinstance(target, InlineFunction):
        return expand(context, call, target)
    if isinstance(target, Function):
        return call_function(context, call, name=context.callees.add_external(target, context, call))
    return _call_python(context, call)


def _call_python(context: Context, call: ast.Call) -> object:
    """A call of a `@pl.jit` function, or of a Python function with constants only."""
    text = ast.unparse(call)
    if isinstance(call.func, ast.Name):
        name = call.func.id
        target = context.closure.get(name, SAFE_BUILTINS.get(name))
    else:
        target = context.value(call.func)
    if isinstance(target, JITFunction):
        return call_specialized(context, call, target)
    if not callable(target):
        _refuse_call(context, call, text)
    arguments = read_arguments(context, call)
    if is_ir(arguments.positional) or is_ir(tuple(arguments.named.values())):
        _refuse_call(context, call, text)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            check_arguments(target, (*arguments.positional, *arguments.named.values()))
            made = target(*arguments.positional, **arguments.named)
    except BUG_CLASS_EXCEPTIONS:
        raise
    except Exception as error:
        message = f"Failed to evaluate expression '{text}': {error}"
        raise ParserSyntaxError(message, context.span(call), source_lines=context.source.lines) from error
    for warning in said:
        warn_at(str(warning.message), context.span(call), category=warning.category)
    return made


def _refuse_call(context: Context, call: ast.Call, text: str) -> NoReturn:
    context.fail(
        UnsupportedFeatureError,
        f"Unsupported function call: {text}",
        call,
        hint="Call operations as pl.<name>(...) and functions of the program as self.<name>(...)",
    )


def call_operation(context: Context, call: ast.Call, path: tuple[str, ...]) -> object:
    """A call of something of the language."""
    short = path[1] if len(path) == 2 and path[0] == "pl" else ""
    if short in _STATEMENT_ONLY:
        context.fail(ParserSyntaxError, _STATEMENT_ONLY[short], call)
    reader = SPECIAL_CALLS.get(path)
    if reader is not None:
        return reader(context, call, ".".join(path))
    special = SCALAR_CALLS.get(short)
    builder = context.handlers.resolve_operation(path)
    if builder is None and special is None:
        return _call_attribute(context, call, path)
    _check_positional(context, call)
    if path in HOST_ONLY:
        check_host(context, call, ".".join(path))
    arguments = read_arguments(context, call)
    check_range(context, (*arguments.positional, *arguments.named.values()), call)
    made = None if special is None else special(context, call, arguments)
    if made is not None:
        return made
    if builder is None:
        return _call_attribute(context, call, path)
    attrs = arguments.named.pop("attrs", None)
    result = build(context, call, path, builder=builder, arguments=arguments)
    if isinstance(attrs, dict) and isinstance(result, Call):
        given = {name: frozen(value) for name, value in cast("dict[str, object]", attrs).items()}
        for name in _TASK_DUMMY_ONLY & given.keys():
            context.fail(ParserSyntaxError, f"'{name}' is for pl.system.task_dummy() only, which has deps=", call)
        result = rebuilt(result, {"attrs": frozen_map({**result.attrs, **given})})
    return with_buffer(context, _fold_dim(context, call, result))


def _check_positional(context: Context, call: ast.Call) -> None:
    """Refuse Python strings that stand where operands do, and a place: no operation takes them."""
    for keyword in call.keywords:
        if keyword.arg == "span":
            context.fail(InvalidOperationError, "An operation takes no span=: its place is that of the call", keyword)
    for node in call.args:
        if isinstance(node, ast.Name) and context.scope.lookup(node.id) is None:
            value = context.closure.get(node.id)
            if isinstance(value, str):
                to_expr(context, value, node)


def build(
    context: Context,
    call: ast.Call,
    path: tuple[str, ...],
    *,
    builder: Callable[..., object],
    arguments: Arguments,
) -> object:
    """Run the builder of an operation; what it refuses is an error at the call."""
    span = context.span(call)
    operands = [ConstFloat(value, span=span) if isinstance(value, float) else value for value in arguments.positional]
    try:
        return builder(*operands, **arguments.named, span=span)
    except (ParserError, *BUG_CLASS_EXCEPTIONS):
        raise
    except REFUSALS as error:
        message = f"{'.'.join(path[:-1])} operation '{path[-1]}': {refusal_text(error, path[-1])}"
        hint = _SCALAR_HINT if len(path) == 2 and _has_scalar_first(arguments) else None
        raise InvalidOperationError(message, context.span(call), hint, source_lines=context.source.lines) from error


def _has_scalar_first(arguments: Arguments) -> bool:
    first = arguments.positional[0] if arguments.positional else None
    return isinstance(first, int | float) or (isinstance(first, Expr) and isinstance(first.type, ScalarType))


def _call_attribute(context: Context, call: ast.Call, path: tuple[str, ...]) -> object:
    """A Python function of the language (`pl.split(...)`) or a method of one of its values (`pl.FP32.get_byte()`)."""
    target: object = None
    with suppress(ParserError):  # no such name: said below, as of an operation
        target = context.value(call.func)
    if callable(target) and not isinstance(target, KernelName):
        return _call_python(context, call)
    context.fail(InvalidOperationError, f"Unknown operation '{'.'.join(path)}'", call, hint=_UNKNOWN_HINT)


def _fold_dim(context: Context, call: ast.Call, result: object) -> object:
    """`pl.tensor.dim(x, 0)` in an orchestration is the extent that x's type names, not a second reading of it."""
    if not isinstance(result, Call) or result.op.name != "tensor.dim":
        return result
    if context.facts.func_type is not FunctionType.Orchestration:
        return result
    kind = result.args[0].type
    axis = getattr(result.args[1], "value", None) if len(result.args) > 1 else result.kwargs.get("axis")
    if not isinstance(kind, ShapedType) or not isinstance(axis, int) or not -len(kind.shape) <= axis < len(kind.shape):
        return result
    context.folded = call
    return kind.shape[axis]
