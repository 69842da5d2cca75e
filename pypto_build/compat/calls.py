# SPDX-License-Identifier: Apache-2.0
"""`ir.make_call` and the short names of argument directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Final

from pypto_build.compat.callers import caller_span
from pypto_build.compat.node_constructors import make_call as construct
from pypto_build.ir import ArgDirection, Call, Expr, Op, Span, Type

input: Final = ArgDirection.Input  # the public name
output: Final = ArgDirection.Output
inout: Final = ArgDirection.InOut
output_existing: Final = ArgDirection.OutputExisting
no_dep: Final = ArgDirection.NoDep
scalar_dir: Final = ArgDirection.Scalar
directions: Final = SimpleNamespace(
    input=input,
    output=output,
    inout=inout,
    output_existing=output_existing,
    no_dep=no_dep,
    scalar=scalar_dir,
    scalar_dir=scalar_dir,
)


def make_call(
    op: Op,
    args: Sequence[Expr],
    *,
    directions: Sequence[ArgDirection] | None = None,
    kwargs: Mapping[str, object] | None = None,
    type: Type | None = None,
    span: Span | None = None,
) -> Call:
    """A call, with the directions of its arguments as an attribute."""
    if directions is not None and len(directions) != len(args):
        raise ValueError(f"directions length ({len(directions)}) must match args length ({len(args)})")
    attrs = None if directions is None else {"arg_directions": list(directions)}
    return construct(op, args, kwargs=kwargs, attrs=attrs, type=type, span=span or caller_span())
