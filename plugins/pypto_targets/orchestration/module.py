# SPDX-License-Identifier: Apache-2.0
"""One C++ source: the two functions that the runtime looks for, and before them what the body turns out to need."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.errors import InternalError, Span
from pypto_build.host import TargetContext
from pypto_build.ir import CommCtxType, DataType, Function, ScalarType, TensorType, Var
from pypto_targets.orchestration.callees import CalleeTable
from pypto_targets.orchestration.cpp import scalar_type
from pypto_targets.orchestration.packed import declare_extent, is_packed
from pypto_targets.orchestration.scalars import HELPERS
from pypto_targets.orchestration.statements import emit_body
from pypto_targets.orchestration.text import Line
from pypto_targets.orchestration.values import Plan, hint
from pypto_targets.orchestration.writer import Writer

_ATTEMPTS = 100  # a declaration moves outwards at most once for each block around it
_ENTRY_ATTRIBUTE = '__attribute__((visibility("default")))'


def orchestration_source(
    function: Function, callees: CalleeTable, context: TargetContext
) -> tuple[str, tuple[tuple[int, Span], ...]]:
    """The text of a function and, for its lines, the source places."""
    inline = context.locations == "inline"
    lines = list(_file(function, list(_entry(function, callees, context))))
    places = tuple((number, span) for number, (_, span) in enumerate(lines, 1) if span.is_valid())
    texts = (_with_place(text, span) if inline else text for text, span in lines)
    return "\n".join(texts) + "\n", places


def _with_place(text: str, span: Span) -> str:
    return f"{text}  // {span}" if span.is_valid() and text and not text.lstrip().startswith("//") else text


def _file(function: Function, entry: list[Line]) -> Iterator[Line]:
    nowhere = Span.unknown()
    body = "\n".join(text for text, _ in entry)
    head = ["#include <stddef.h>", "#include <stdint.h>", "#include <stdio.h>", ""]
    if "std::vector" in body:
        head += ["#include <vector>", ""]
    if "std::m" in body:
        head += ["#include <algorithm>", ""]
    head += ['#include "pto_orchestration_api.h"', ""]
    for word, helper in HELPERS.items():
        if word in body:
            head += [*helper, ""]
    head += ['extern "C" {', "", _ENTRY_ATTRIBUTE]
    head.append("PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& orch_args) {")
    head += ["    (void)orch_args;", "    return PTO2OrchestrationConfig{"]
    head += [f"        .expected_arg_count = {len(function.params)},", "    };", "}", "", _ENTRY_ATTRIBUTE]
    yield from ((text, nowhere) for text in head)
    yield from entry
    yield from (("", nowhere), ('}  // extern "C"', nowhere))


def _entry(function: Function, callees: CalleeTable, context: TargetContext) -> Iterator[Line]:
    """The entry function; it is written anew until every name is declared where all its readers see it."""
    plan = Plan()
    for _ in range(_ATTEMPTS):
        writer = Writer(function, callees, context, plan=plan)
        plan.changed = False
        _parameters(writer)
        emit_body(writer, function.body)
        if not plan.changed:
            return writer.source.root.lines(0)
    raise InternalError(f"no order of declarations suits {function.name}", function.span)


def _parameters(writer: Writer) -> None:
    function, source = writer.function, writer.source
    source.span = function.span
    tensors = [param for param in function.params if isinstance(param.type, TensorType)]
    scalars = [param for param in function.params if isinstance(param.type, ScalarType | CommCtxType)]
    read = [(number, param) for number, param in enumerate(scalars) if param in writer.used]
    if len(tensors) + len(scalars) != len(function.params):
        raise InternalError(f"{function.name} has a parameter that is neither a tensor nor a scalar", function.span)
    if any(param in writer.used for param in tensors):
        source.emit("// External tensors")
    for number, param in enumerate(tensors):
        if param not in writer.used:
            continue
        name = source.name(f"ext_{hint(param)}")
        source.emit(f"const ChipTensor& {name} = orch_args.tensor({number}).ref();")
        writer.values[param] = name
    if read:
        source.emit("")
        source.emit("// Scalar params")
    for number, param in read:
        _scalar(writer, param, number)
    _dynamic_dims(writer, tensors)
    source.emit("")


def _scalar(writer: Writer, param: Var, number: int) -> None:
    """A scalar of the entry; a communication context is an address."""
    dtype = param.type.dtype if isinstance(param.type, ScalarType) else DataType.UINT64
    name, kind = writer.source.name(hint(param)), scalar_type(dtype, param.span)
    raw = f"orch_args.scalar({number})"
    text = raw if dtype is DataType.UINT64 else f"from_u64<{kind}>({raw})"
    writer.source.emit(f"{kind} {name} = {text};")
    writer.values[param] = name


def _dynamic_dims(writer: Writer, tensors: list[Var]) -> None:
    """Symbols of shapes that the body reads: each is the extent of the first tensor that has it."""
    found: dict[Var, tuple[str, bool]] = {}
    for number, param in enumerate(tensors):
        shape = param.type.shape if isinstance(param.type, TensorType) else ()
        for axis, extent in enumerate(shape):
            if isinstance(extent, Var) and extent in writer.used and extent not in writer.values:
                text = f"(int64_t)orch_args.tensor({number}).ref().shapes[{axis}]"
                found.setdefault(extent, (text, is_packed(param.type) and axis == len(shape) - 1))
    if found:
        writer.source.emit("")
        writer.source.emit("// Dynamic extents")
    for var, (text, packed) in found.items():
        extent = declare_extent(writer, text) if packed else text
        name = writer.source.name(hint(var))
        writer.source.emit(f"int64_t {name} = {extent};")
        writer.values[var] = name
        writer.natural.add(var)
