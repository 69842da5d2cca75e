# SPDX-License-Identifier: Apache-2.0
"""What a pipeline file says, as frozen values that remember where they were written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.pipeline.yaml_nodes import Node, Plain, ScalarValue, plain


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its place."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Setting:
    """One option as written: its name, the place of the name, and the value with its places."""

    name: str
    span: Span
    value: Node

    @property
    def plain(self) -> Plain:
        """The value alone."""
        return plain(self.value)


@dataclass(frozen=True, slots=True)
class Entry:
    """A pass, target or simulator of a pipeline: which one (`use`), under which id, with which options.

    `given_id` says that the file wrote the id; otherwise it is the name. `isolate` and `timeout` are for targets and
    simulators: run it in a process of its own, for so many seconds at most.
    """

    id: str
    use: Text
    options: tuple[Setting, ...]
    span: Span
    given_id: bool = False
    isolate: bool = False
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    """Take passes out."""

    ids: tuple[Text, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Replace:
    """Put another pass in the place of one."""

    id: Text
    entry: Entry
    span: Span


@dataclass(frozen=True, slots=True)
class Insert:
    """Add a pass before or after one."""

    id: Text
    entry: Entry
    after: bool
    span: Span


@dataclass(frozen=True, slots=True)
class SetOptions:
    """Change options of a pass; those that are not named stay."""

    id: Text
    options: tuple[Setting, ...]
    span: Span


Edit = Remove | Replace | Insert | SetOptions


class ParamType(StrEnum):
    """The type of a parameter."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STR = "str"


@dataclass(frozen=True, slots=True)
class Param:
    """A declared parameter, used as `${name}`; without a default it must be given with `-D`."""

    name: str
    type: ParamType
    default: ScalarValue
    choices: tuple[ScalarValue, ...]
    doc: str
    span: Span
    default_span: Span


@dataclass(frozen=True, slots=True)
class Layer:
    """What one file or variant says about the pipeline; what it leaves out comes from the layer below.

    `disable` and `enable` are names of diagnostics.
    """

    span: Span
    hardware: Text | None = None
    memory_planner: Text | None = None
    targets: tuple[Entry, ...] | None = None
    simulator: Entry | None = None
    verify: Text | None = None
    assumes: tuple[Text, ...] | None = None
    disable: tuple[Text, ...] | None = None
    enable: tuple[Text, ...] | None = None
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """A named set of changes to a pipeline; `params` gives other defaults."""

    name: str
    layer: Layer
    params: tuple[Setting, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class PipelineFile:
    """One file. `complete` is false when a part was left out because something is wrong with it.

    `lost_plugins` says that such a part was a plugin, so that any name may be unknown for that reason.
    """

    filename: str
    layer: Layer
    name: Text | None = None
    extends: Text | None = None
    passes: tuple[Entry, ...] | None = None
    plugins: tuple[Text, ...] = ()
    replace: tuple[Setting, ...] = ()
    params: tuple[Param, ...] = ()
    variants: tuple[Variant, ...] = ()
    complete: bool = True
    lost_plugins: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """A pipeline after `extends`, `edit`, `variants` and parameters: what its files mean, before any name is looked up.

    `files` are all YAML files that were read, first the one that was asked for; `plugins` come with the directory that
    their paths are relative to. `complete` is false when something is missing because of a problem already reported.
    """

    name: str
    variant: str
    hardware: Text | None
    passes: tuple[Entry, ...]
    targets: tuple[Entry, ...]
    simulator: Entry | None
    verify: Text | None
    assumes: tuple[Text, ...]
    plugins: tuple[tuple[Text, str], ...]
    replace: Mapping[str, Text]
    files: tuple[str, ...]
    span: Span = UNKNOWN_SPAN
    memory_planner: Text | None = None
    disable: tuple[Text, ...] = ()
    enable: tuple[Text, ...] = ()
    params: Mapping[str, ScalarValue] = field(default_factory=dict[str, ScalarValue])
    lost_plugins: bool = False
    complete: bool = True
