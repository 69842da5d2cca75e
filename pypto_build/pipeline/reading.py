# SPDX-License-Identifier: Apache-2.0
"""One pipeline file: its text read, held against the schema, and turned into frozen values with their places."""

from __future__ import annotations

import linecache
from pathlib import Path

from pypto_build.errors import Span, UserError
from pypto_build.pipeline.fitting import is_known_to_fit
from pypto_build.pipeline.model import (
    Edit,
    Entry,
    Insert,
    Layer,
    Param,
    ParamType,
    PipelineFile,
    Remove,
    Replace,
    SetOptions,
    Setting,
    Text,
    Variant,
)
from pypto_build.pipeline.problems import Problems
from pypto_build.pipeline.yaml_nodes import Mapping, Node, Scalar, ScalarValue, Sequence
from pypto_build.pipeline.yaml_source import Document, read_yaml


def read_text(filename: str, *, span: Span) -> str:
    """The text of a file; `span` is the place that asked for it."""
    linecache.checkcache(filename)  # a process that outlives an edit must show the new line
    try:
        return Path(filename).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError("PIPE001", f"{filename} cannot be read: {error.strerror}", span) from None
    except UnicodeDecodeError as error:
        raise UserError("PIPE001", f"{filename} is not UTF-8 text (byte {error.start})", span) from None


def read_file(text: str, filename: str, *, problems: Problems) -> PipelineFile | None:
    """What a file says; None when nothing of it can be used."""
    document = read_yaml(text, filename)
    problems.extend(document.problems)
    known = not document.problems and is_known_to_fit(text)
    node = document.root if known else _checked(document, problems)
    return _file(node, document) if isinstance(node, Mapping) else None


def _checked(document: Document, problems: Problems) -> Mapping | None:
    from pypto_build.pipeline.validation import check_file  # pydantic, which a build of shipped pipelines never needs

    if document.root is None:
        return None
    checked = check_file(document.root)
    problems.extend(checked.problems)
    return checked.node if isinstance(checked.node, Mapping) else None


def _file(node: Mapping, document: Document) -> PipelineFile:
    passes = _value(node, "passes")
    written = document.root.get("plugins") if isinstance(document.root, Mapping) else None
    return PipelineFile(
        filename=document.filename,
        layer=_layer(node),
        name=_optional_text(node, "name"),
        extends=_optional_text(node, "extends"),
        passes=_entries(passes) if passes is not None else None,
        plugins=tuple(_text(item) for item in _items(node, "plugins")),
        replace=_settings(node.get("replace")),
        params=tuple(_param(name, span, value=value) for name, span, value in _pairs(node, "params")),
        variants=tuple(_variant(name, value) for name, _, value in _pairs(node, "variants")),
        complete=node is document.root and not document.problems,
        lost_plugins=node.get("plugins") != written,
    )


def _layer(node: Mapping) -> Layer:
    targets = _value(node, "targets")
    simulator = _value(node, "simulator")
    diagnostics = node.get("diagnostics")
    wanted = diagnostics if isinstance(diagnostics, Mapping) else Mapping((), node.span)
    return Layer(
        span=node.span,
        hardware=_optional_text(node, "hardware"),
        memory_planner=_optional_text(node, "memory_planner"),
        targets=_entries(targets) if targets is not None else None,
        simulator=_entry(simulator) if simulator is not None else None,
        verify=_optional_text(node, "verify"),
        assumes=_texts(node, "assumes"),
        disable=_texts(wanted, "disable"),
        enable=_texts(wanted, "enable"),
        edits=tuple(_edit(item) for item in _items(node, "edit")),
    )


def _entries(node: Node) -> tuple[Entry, ...]:
    return tuple(_entry(item) for item in node.items) if isinstance(node, Sequence) else ()


def _entry(node: Node) -> Entry:
    if not isinstance(node, Mapping):
        use = _text(node)
        return Entry(use.value, use, (), use.span)
    use = _optional_text(node, "use") or Text("", node.span)
    given = _optional_text(node, "id")
    timeout = _scalar(node.get("timeout"))
    return Entry(
        id=given.value if given else use.value,
        use=use,
        options=_settings(node.get("options")),
        span=given.span if given else use.span,
        given_id=given is not None,
        isolate=node.get("isolate") is not None,
        timeout=float(timeout) if isinstance(timeout, int | float) else None,
    )


def _edit(node: Node) -> Edit:
    assert isinstance(node, Mapping)  # the schema holds
    for operation, span, value in node.entries:
        match operation:
            case "remove":
                ids = value.items if isinstance(value, Sequence) else (value,)
                return Remove(tuple(map(_text, ids)), span)
            case "replace":
                return Replace(_text(value), _entry(node.get("with") or value), span)
            case "insert_before" | "insert_after":
                return Insert(_text(value), _entry(node.get("pass") or value), operation == "insert_after", span)
            case "set":
                return SetOptions(_text(value), _settings(node.get("options")), span)
            case _:
                pass
    raise AssertionError(f"{node.span}: an edit without an operation passed the schema")


def _param(name: str, span: Span, *, value: Node) -> Param:
    if not isinstance(value, Mapping):
        default = _scalar(value)
        return Param(name, _type_of(default), default, (), "", span, value.span)
    default = _scalar(value.get("default"))
    choices = tuple(_scalar(item) for item in _items(value, "choices"))
    given = _optional_text(value, "type")
    kind = ParamType(given.value) if given else _type_of(default if default is not None else next(iter(choices), ""))
    doc = _optional_text(value, "doc")
    default_span = (value.get("default") or value).span
    return Param(name, kind, default, choices, doc.value if doc else "", span, default_span)


def _variant(name: str, node: Node) -> Variant:
    if not isinstance(node, Mapping):
        return Variant(name, Layer(node.span), (), "")
    doc = _optional_text(node, "doc")
    return Variant(name, _layer(node), _settings(node.get("params")), doc.value if doc else "")


def _type_of(value: ScalarValue) -> ParamType:
    match value:
        case bool():
            return ParamType.BOOL
        case int():
            return ParamType.INT
        case float():
            return ParamType.FLOAT
        case _:
            return ParamType.STR


def _value(node: Mapping, key: str) -> Node | None:
    """The value of a key; a key with nothing after it is as good as none."""
    value = node.get(key)
    return None if isinstance(value, Scalar) and value.value is None else value


def _settings(node: Node | None) -> tuple[Setting, ...]:
    if not isinstance(node, Mapping):
        return ()
    return tuple(Setting(name, span, value) for name, span, value in node.entries)


def _pairs(node: Mapping, key: str) -> tuple[tuple[str, Span, Node], ...]:
    value = node.get(key)
    return value.entries if isinstance(value, Mapping) else ()


def _items(node: Mapping, key: str) -> tuple[Node, ...]:
    value = node.get(key)
    return value.items if isinstance(value, Sequence) else ()


def _texts(node: Mapping, key: str) -> tuple[Text, ...] | None:
    return tuple(map(_text, _items(node, key))) if _value(node, key) is not None else None


def _optional_text(node: Mapping, key: str) -> Text | None:
    value = node.get(key)
    return _text(value) if isinstance(value, Scalar) and value.value is not None else None


def _text(node: Node) -> Text:
    return Text(str(_scalar(node)), node.span)


def _scalar(node: Node | None) -> ScalarValue:
    return node.value if isinstance(node, Scalar) else None
