# SPDX-License-Identifier: Apache-2.0
"""YAML text to a tree with places; all that is wrong is collected, not only the first.

The tree is built from parser events, not by a loader. Scalars follow YAML 1.2 (`no` is text, `010` is ten), a duplicate
key is a problem instead of a silent overwrite, depth is bounded without recursion, and an alias shares its anchor's
node, so that aliases of aliases cost nothing and are counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pypto_build.errors import Span, UserError
from pypto_build.pipeline.yaml_events import Event, YamlSyntaxError, parse_events
from pypto_build.pipeline.yaml_nodes import Mapping, Node, Scalar, ScalarValue, Sequence

MAX_DEPTH = 50
MAX_DIGITS = 40  # Python itself refuses to read more than 4300
MAX_NODES = 10_000  # with aliases expanded; the shipped pipelines have fewer than 200

_WORDS: dict[str, ScalarValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)


@dataclass(frozen=True, slots=True)
class Document:
    """One file: its tree, unless it has none, and what is wrong with its text."""

    filename: str
    root: Node | None
    problems: tuple[UserError, ...]


def read_yaml(text: str, filename: str) -> Document:
    """Read one document."""
    builder = _Builder(filename)
    try:
        for event in parse_events(text):
            builder.take(event)
    except YamlSyntaxError as error:
        place = Span(filename, error.line, error.column)
        notes = ((error.context, Span(filename, *error.context_place)),) if error.context else ()
        problem = UserError("YAML001", error.message, place, help=error.help, notes=notes)
        return Document(filename, None, (problem,))
    except _TooLargeError:
        return Document(filename, None, tuple(builder.problems))
    if builder.root is None and not builder.problems:
        builder.problems.append(UserError("YAML002", "the file has no content", Span(filename, 1, 1)))
    return Document(filename, builder.root, tuple(builder.problems))


def scalar_value(text: str) -> ScalarValue:
    """What an unquoted scalar means in YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


class _TooLargeError(Exception):
    """Reading on would take too much; the problem was reported."""


@dataclass(slots=True)
class _Frame:
    """A list or mapping that has not ended; `expects_key` alternates in a mapping."""

    event: Event
    items: list[Node] = field(default_factory=list[Node])
    entries: dict[str, tuple[str, Span, Node]] = field(default_factory=dict[str, tuple[str, Span, Node]])
    key: str | None = None
    key_place: Span | None = None
    expects_key: bool = False


class _Builder:
    """Takes events, one after the other, and keeps the tree so far and the problems."""

    def __init__(self, filename: str) -> None:
        self.root: Node | None = None
        self.problems: list[UserError] = []
        self._filename = filename
        self._frames: list[_Frame] = []
        self._anchors: dict[str, Node | None] = {}
        self._nodes = 0
        self._documents = 0

    def take(self, event: Event) -> None:
        """Take the next event; those of a second document are passed over."""
        if event.kind == "DocumentStart":
            self._start_document(event)
        if self._documents > 1:
            return
        match event.kind:
            case "Scalar":
                self._scalar(event)
            case "Alias":
                self._alias(event)
            case "SequenceStart" | "MappingStart":
                self._open(event)
            case "SequenceEnd" | "MappingEnd":
                self._close()
            case _:
                pass

    def _start_document(self, event: Event) -> None:
        self._documents += 1
        if event.directives:
            self._report("YAML003", "directives are not used here; every file is read as YAML 1.2", event)
        if self._documents == 2:
            self._report("YAML004", "a second document begins here, and one file holds one pipeline", event)

    def _scalar(self, event: Event) -> None:
        self._count(1, event)
        self._refuse_tag(event)
        place = event.span(self._filename)
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.expects_key:
            self._anchor(event, Scalar(event.value, place))
            self._key(event, event.value)
            return
        plain = event.is_plain
        if plain and len(event.value) > MAX_DIGITS and _INTEGER.fullmatch(event.value):
            self._report("YAML005", f"the number has more than {MAX_DIGITS} digits", event)
            self._discard()
            return
        node = Scalar(scalar_value(event.value) if plain else event.value, place)
        self._anchor(event, node)
        self._place(node)

    def _alias(self, event: Event) -> None:
        name = event.anchor or ""
        target = self._anchors.get(name)
        if target is None:
            inside = name in self._anchors
            self._report(
                "YAML006", f"anchor `{name}` contains itself" if inside else f"there is no anchor `{name}`", event
            )
            self._discard()
            return
        self._count(target.size, event)
        if self._frames and self._frames[-1].expects_key:
            if isinstance(target, Scalar):
                self._key(event, str(target.value))
            else:
                self._complex_key(event)
            return
        self._place(target)

    def _open(self, event: Event) -> None:
        self._count(1, event)
        self._refuse_tag(event)
        if len(self._frames) >= MAX_DEPTH:
            self._report("YAML007", f"lists and mappings are nested more than {MAX_DEPTH} deep", event)
            raise _TooLargeError
        if event.anchor:
            self._anchors[event.anchor] = None
        self._frames.append(_Frame(event, expects_key=event.kind == "MappingStart"))

    def _close(self) -> None:
        frame = self._frames.pop()
        place = frame.event.span(self._filename)
        node: Node
        if frame.event.kind == "SequenceStart":
            node = Sequence(tuple(frame.items), place, 1 + sum(item.size for item in frame.items))
        else:
            entries = tuple(frame.entries.values())
            node = Mapping(entries, place, 1 + sum(value.size for _, _, value in entries))
        self._anchor(frame.event, node)
        if self._frames and self._frames[-1].expects_key:
            self._complex_key(frame.event)
        else:
            self._place(node)

    def _key(self, event: Event, key: str) -> None:
        frame = self._frames[-1]
        place = event.span(self._filename)
        frame.expects_key = False
        frame.key, frame.key_place = key, place
        if key == "<<" and event.is_plain:
            help = "use `extends:`, or repeat the keys"
            self._report("YAML008", "merge keys are not part of YAML 1.2", event, help=help)
            frame.key = None
        elif key in frame.entries:
            first = (("the first one is here", frame.entries[key][1]),)
            self.problems.append(UserError("YAML009", f"key `{key}` occurs twice", place, notes=first))
            frame.key = None

    def _complex_key(self, event: Event) -> None:
        self._report("YAML010", "a key is text, not a list or mapping", event)
        self._discard()

    def _place(self, node: Node) -> None:
        """Put a value where it belongs; the value of a refused key belongs nowhere."""
        if not self._frames:
            self.root = node
            return
        frame = self._frames[-1]
        if frame.event.kind == "SequenceStart":
            frame.items.append(node)
            return
        if frame.key is not None and frame.key_place is not None:
            frame.entries[frame.key] = (frame.key, frame.key_place, node)
        frame.key = None
        frame.expects_key = True

    def _discard(self) -> None:
        """Go on without a key or value that is a problem of its own."""
        if self._frames and self._frames[-1].event.kind == "MappingStart":
            frame = self._frames[-1]
            frame.key = None
            frame.expects_key = not frame.expects_key

    def _anchor(self, event: Event, node: Node) -> None:
        if event.anchor:
            self._anchors[event.anchor] = node

    def _count(self, nodes: int, event: Event) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            message = f"the file has more than {MAX_NODES} values, each alias counted as what it stands for"
            self._report("YAML011", message, event)
            raise _TooLargeError

    def _refuse_tag(self, event: Event) -> None:
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._report("YAML012", f"tag `{tag}` is not allowed", event, help="write the value without it")

    def _report(self, code: str, message: str, event: Event, *, help: str = "") -> None:
        self.problems.append(UserError(code, message, event.span(self._filename), help=help))
