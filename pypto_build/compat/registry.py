# SPDX-License-Identifier: Apache-2.0
"""Questions to the registry of operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pypto_build.compat.public_errors import translated
from pypto_build.ir import ArgEffect, Call, Expr, Op, Span, WriteChannel
from pypto_build.ops import builtin_registry
from pypto_build.ops.definition import FromInput, FromKwarg, OpDef


def create_op_call(
    op_name: str, args: Sequence[Expr], kwargs: Mapping[str, object] | Span | None = None, span: Span | None = None
) -> Call:
    """A call of an operation, its type deduced."""
    if isinstance(kwargs, Span):
        kwargs, span = None, kwargs
    definition = builtin_registry().get(op_name)
    if definition.internal_only:
        raise ValueError(f"Operator '{op_name}' is internal-only and cannot be called directly")
    if definition.category == "DistributedOp":
        _check_call(definition, args, kwargs or {})
    with translated():
        return builtin_registry().create_call(op_name, list(args), kwargs or {}, span or Span.unknown())


def _check_call(definition: OpDef, args: Sequence[Expr], kwargs: Mapping[str, object]) -> None:
    """Operations between ranks have words of their own for surplus arguments."""
    count, most = len(args), definition.most_args
    if most == 0 and count:
        raise ValueError(f"The operator {definition.name} takes no positional arguments, but got {count}")
    if count < definition.least_args == most or (most is not None and count > most):
        plural = "" if most == 1 else "s"
        raise ValueError(
            f"The operator {definition.name} takes exactly {most} positional argument{plural}, got {count}"
        )
    if kwargs and not definition.kwargs:
        raise ValueError(f"The operator {definition.name} takes no kwargs, but got {', '.join(kwargs)}")


def is_op_registered(op_name: str) -> bool:
    """Whether there is an operation of this name."""
    return builtin_registry().has(op_name)


def get_op(op_name: str) -> Op:
    """The operation of this name; ValueError when there is none."""
    return builtin_registry().get(op_name).op


def get_op_memory_spec(op_name: str) -> dict[str, Any] | None:
    """Where the tiles of an operation must live; None when it has no say in it."""
    spec = builtin_registry().get(op_name).memory if builtin_registry().has(op_name) else None
    if spec is None:
        return None
    return {"input_constraints": [list(spaces) for spaces in spec.inputs], "output_memory": _output_memory(spec.output)}


def _output_memory(output: object) -> object:
    if isinstance(output, FromInput):
        return "inherit_from_input"
    if isinstance(output, FromKwarg):
        return output.default if output.default is not None else "deferred"
    return output


def get_op_arg_effect(op_name: str, arg_index: int, **kwargs: Any) -> ArgEffect:
    """What an operation does to one argument."""
    return builtin_registry().get(op_name).effect_on(arg_index, kwargs)


def op_has_declared_arg_effects(op_name: str) -> bool:
    """Whether the operation says what it does to its arguments."""
    return builtin_registry().get(op_name).has_declared_effects()


def op_has_declared_arg_effect(op_name: str, arg_index: int) -> bool:
    """Whether the operation says what it does to one argument."""
    return builtin_registry().get(op_name).has_declared_effect(arg_index)


def get_op_write_channel(op_name: str) -> WriteChannel | None:
    """Through which unit the operation writes."""
    return builtin_registry().get(op_name).write_channel
