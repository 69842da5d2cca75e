# SPDX-License-Identifier: Apache-2.0
"""The rules that every definition keeps, checked when a registry is made and never again.

A destination hidden among the arguments would be read as an input, and the edge from writer to reader would vanish:
an operation says of what it writes, or it is refused here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pypto_build.ops.definition import OpDef

_MULTI_OUTPUT_REASONS = {
    "unclassified": "no declared effect, so a destination could hide here",
    "leaked": "written but not a workspace: a destination belongs into the result tuple",
    "missing": "declared a workspace, but there is no such argument",
    "unwritten": "declared a workspace, but never written",
    "ambiguous": "the result is said to reuse it, but there are several results",
}


def validate(definitions: Iterable[OpDef]) -> None:
    """Check every rule about every definition.

    Raises:
        ValueError: one message that lists all offenders of the first rule that is broken.
    """
    listed = tuple(definitions)
    _refuse("an operation of the tile namespace must declare a memory spec, or that it has none", _no_memory(listed))
    _refuse("an in-place operation must declare what it does to the argument it reuses", _unclassified_reuse(listed))
    _refuse("an operation with a write channel must write through an argument", _channel_without_write(listed))
    _refuse("an operation cannot declare effects and that it writes no argument", _contradictions(listed))
    validate_multi_output(listed)


def validate_multi_output(definitions: Iterable[OpDef]) -> None:
    """Refuse the five shapes in which an operation with several results could hide a destination.

    Raises:
        ValueError: lists `operation (argument i): reason`, sorted.
    """
    found = sorted(
        f"{definition.name} (argument {index}): {_MULTI_OUTPUT_REASONS[reason]}"
        for definition in definitions
        if definition.output_arity > 1
        for index, reason in _multi_output_offences(definition)
    )
    _refuse("operations with several results register inputs only", found)


def _multi_output_offences(definition: OpDef) -> Iterator[tuple[int, str]]:
    for index in range(len(definition.args)):
        workspace = index in definition.workspace_args
        if not definition.has_declared_effect(index):
            yield index, "unclassified"
        elif definition.may_write(index) and not workspace:
            yield index, "leaked"
        if workspace and not definition.may_write(index):
            yield index, "unwritten"
    for index in definition.workspace_args:
        if not 0 <= index < len(definition.args):
            yield index, "missing"
    if definition.reuses_input is not None:
        yield definition.reuses_input, "ambiguous"


def _no_memory(definitions: tuple[OpDef, ...]) -> list[str]:
    return sorted(d.name for d in definitions if d.name.startswith("tile.") and d.memory is None and not d.no_memory)


def _unclassified_reuse(definitions: tuple[OpDef, ...]) -> list[str]:
    return sorted(
        f"{d.name} (argument {d.reuses_input})"
        for d in definitions
        if d.reuses_input is not None and d.output_arity == 1 and not d.has_declared_effect(d.reuses_input)
    )


def _channel_without_write(definitions: tuple[OpDef, ...]) -> list[str]:
    return sorted(
        d.name for d in definitions if d.write_channel is not None and not any(map(d.may_write, range(len(d.args))))
    )


def _contradictions(definitions: tuple[OpDef, ...]) -> list[str]:
    return sorted(d.name for d in definitions if d.no_arg_writes and d.effects)


def _refuse(rule: str, offenders: list[str]) -> None:
    if offenders:
        raise ValueError(f"{rule}:\n  " + "\n  ".join(offenders))
