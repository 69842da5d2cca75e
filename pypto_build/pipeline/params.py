# SPDX-License-Identifier: Apache-2.0
"""Parameters: declared with a type, given by default, variant or `-D name=value`, used as `${name}`.

There is no other substitution: the environment is not read, and `$${` stands for `${`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from pypto_build.errors import Span, UserError
from pypto_build.host.suggest import did_you_mean
from pypto_build.pipeline.model import Edit, Entry, Insert, Layer, Param, ParamType, Replace, SetOptions, Setting, Text
from pypto_build.pipeline.problems import Problems
from pypto_build.pipeline.yaml_nodes import Mapping as YamlMapping
from pypto_build.pipeline.yaml_nodes import Node, Scalar, ScalarValue, Sequence
from pypto_build.pipeline.yaml_source import scalar_value

COMMAND_LINE = Span("command line", -1, -1)
_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)\}")

Values = Mapping[str, ScalarValue]


def parameter_values(
    declared: Mapping[str, Param], overrides: Iterable[Setting], *, defines: Mapping[str, str], problems: Problems
) -> dict[str, ScalarValue]:
    """The value of every declared parameter: the default, then what a variant says, then the command line."""
    values: dict[str, ScalarValue] = {}
    given: dict[str, tuple[ScalarValue, Span]] = {}
    for param in declared.values():
        if param.default is not None:
            given[param.name] = (param.default, param.default_span)
    for setting in overrides:
        if _is_declared(declared, setting.name, setting.span, problems=problems):
            value = setting.value
            given[setting.name] = (value.value if isinstance(value, Scalar) else None, value.span)
    for name, text in defines.items():
        if _is_declared(declared, name, COMMAND_LINE, problems=problems):
            is_text = declared[name].type is ParamType.STR
            given[name] = (text if is_text else scalar_value(text), COMMAND_LINE)
    for name, param in declared.items():
        if name not in given:
            message = f"parameter `{name}` has no value"
            problems.add(UserError("PIPE010", message, param.span, help=f"give it a default, or `-D {name}=...`"))
            continue
        value, span = given[name]
        problem = _misfit(param, value, span=span)
        if problem is not None:
            problems.add(problem)
        else:
            values[name] = float(value) if param.type is ParamType.FLOAT and isinstance(value, int) else value
    return values


def _is_declared(declared: Mapping[str, Param], name: str, span: Span, *, problems: Problems) -> bool:
    if name in declared:
        return True
    known = ", ".join(f"`{one}`" for one in declared) or "none"
    help = did_you_mean(name, declared) or f"declared parameters: {known}"
    problems.add(UserError("PIPE011", f"there is no parameter `{name}`", span, help=help))
    return False


def _misfit(param: Param, value: ScalarValue, *, span: Span) -> UserError | None:
    fits = {
        ParamType.INT: isinstance(value, int) and not isinstance(value, bool),
        ParamType.FLOAT: isinstance(value, int | float) and not isinstance(value, bool),
        ParamType.BOOL: isinstance(value, bool),
        ParamType.STR: isinstance(value, str),
    }
    if not fits[param.type]:
        return UserError("PIPE012", f"parameter `{param.name}` takes {_NAMES[param.type]}, not `{_text(value)}`", span)
    if param.choices and value not in param.choices:
        allowed = ", ".join(f"`{_text(one)}`" for one in param.choices)
        return UserError("PIPE012", f"parameter `{param.name}` takes one of {allowed}, not `{_text(value)}`", span)
    return None


_NAMES = {
    ParamType.INT: "an integer",
    ParamType.FLOAT: "a number",
    ParamType.BOOL: "`true` or `false`",
    ParamType.STR: "text",
}


class _UnknownError(Exception):
    """A reference has no value; the problem was reported."""


class Substitution:
    """Puts the values of parameters into what a file says.

    What refers to a parameter without a value is left out, and `complete` says so: the value, or its absence, was
    reported where it was declared; a reference to an undeclared one is reported here.
    """

    def __init__(self, values: Values, declared: Iterable[str], *, problems: Problems) -> None:
        self.complete = True
        self._values = values
        self._declared = frozenset(declared)
        self._problems = problems

    def layer(self, layer: Layer) -> Layer:
        """A layer with every reference replaced."""
        return replace(
            layer,
            hardware=self.text(layer.hardware),
            memory_planner=self.text(layer.memory_planner),
            targets=self.entries(layer.targets) if layer.targets is not None else None,
            simulator=next(iter(self.entries((layer.simulator,))), None) if layer.simulator is not None else None,
            verify=self.text(layer.verify),
            edits=tuple(edit for edit in map(self._edit, layer.edits) if edit is not None),
        )

    def entries(self, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        """Passes or targets with every reference replaced."""
        return tuple(entry for entry in map(self._entry, entries) if entry is not None)

    def text(self, text: Text | None) -> Text | None:
        """A text with every reference replaced."""
        if text is None or "${" not in text.value:
            return text
        try:
            return Text(_text(self._value(text.value, text.span)), text.span)
        except _UnknownError:
            return None

    def _entry(self, entry: Entry) -> Entry | None:
        use = self.text(entry.use)
        if use is None:
            return None
        name = entry.id if entry.given_id else use.value
        return replace(entry, use=use, id=name, options=self._settings(entry.options))

    def _edit(self, edit: Edit) -> Edit | None:
        match edit:
            case Replace() | Insert():
                entry = self._entry(edit.entry)
                return replace(edit, entry=entry) if entry is not None else None
            case SetOptions():
                return replace(edit, options=self._settings(edit.options))
            case _:
                return edit

    def _settings(self, settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
        kept: list[Setting] = []
        for one in settings:
            with suppress(_UnknownError):
                kept.append(replace(one, value=self._node(one.value)))
        return tuple(kept)

    def _node(self, node: Node) -> Node:
        match node:
            case Scalar(value=str() as value) if "${" in value:
                return replace(node, value=self._value(value, node.span))
            case Scalar():
                return node
            case Sequence(items=items):
                return replace(node, items=tuple(map(self._node, items)))
            case YamlMapping(entries=entries):
                return replace(node, entries=tuple((key, span, self._node(value)) for key, span, value in entries))

    def _value(self, text: str, span: Span) -> ScalarValue:
        """A reference alone has the parameter's type; inside of text it becomes text."""
        whole = _REFERENCE.fullmatch(text)
        if whole is not None and whole[1] is not None:
            return self._parameter(whole[1], span)
        return _REFERENCE.sub(lambda match: "${" if match[1] is None else _text(self._parameter(match[1], span)), text)

    def _parameter(self, name: str, span: Span) -> ScalarValue:
        if name in self._values:
            return self._values[name]
        self.complete = False
        if name not in self._declared:
            help = did_you_mean(name, self._declared) or "declare it under `params:`"
            self._problems.add(UserError("PIPE011", f"there is no parameter `{name}`", span, help=help))
        raise _UnknownError


def _text(value: ScalarValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
