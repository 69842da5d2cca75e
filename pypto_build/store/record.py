# SPDX-License-Identifier: Apache-2.0
"""The record of one result: what came out under a key, at what cost, and from what.

A record is small text and names its outputs by digest; the bytes are bodies, kept apart. It says nothing but facts that
a reader can check, and holds nothing that is executed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast

from pypto_build.errors import Diagnostic, Span
from pypto_build.store.encoding import (
    Components,
    ComponentValue,
    components_from_json,
    dump_json,
    freeze_components,
    from_plain,
    to_plain,
)
from pypto_build.store.key import Key, is_digest
from pypto_build.store.sealed import seal, unseal

_MAGIC = b"pypto-build record 1"


@dataclass(frozen=True, slots=True)
class BodyRef:
    """A body by the SHA-256 and the size of its content, before compression."""

    digest: str
    size: int


SAME_AS_INPUT: Final = "same as input"
Output: TypeAlias = BodyRef | Literal["same as input"]
"""What a role holds. A reference does not promise that the body is stored: it may never have been worth it."""


@dataclass(frozen=True, slots=True)
class Record:
    """One result. `components` is the JSON that `Key.components_json` gives; `facts` are small named answers."""

    key: str
    kind: str
    components: str
    outputs: tuple[tuple[str, Output], ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    facts: Components = ()
    cost_ms: float = 0.0
    created: int = 0
    producer: str = ""

    def output(self, role: str) -> Output | None:
        """What the result has under `role`."""
        return dict(self.outputs).get(role)

    def fact(self, name: str) -> ComponentValue:
        """The fact called `name`, or None."""
        return dict(self.facts).get(name)

    def bodies(self) -> tuple[BodyRef, ...]:
        """All bodies that the outputs refer to."""
        return tuple(output for _, output in self.outputs if isinstance(output, BodyRef))

    def decoded_components(self) -> Components:
        """The components of the key, for `first_difference`."""
        return components_from_json(self.components)

    def same_result(self, other: Record) -> bool:
        """Whether both say the same about the result; costs, times and places of diagnostics may differ."""
        return self.outputs == other.outputs and freeze_components(self.facts) == freeze_components(other.facts)


def record_of(
    key: Key,
    outputs: tuple[tuple[str, Output], ...],
    *,
    diagnostics: tuple[Diagnostic, ...] = (),
    facts: Components = (),
    cost_ms: float = 0.0,
    created: int = 0,
    producer: str = "",
) -> Record:
    """The record of a result that was made under `key`."""
    return Record(
        key.digest,
        key.kind,
        key.components_json(),
        outputs,
        diagnostics=diagnostics,
        facts=freeze_components(facts)[0],
        cost_ms=cost_ms,
        created=created,
        producer=producer,
    )


def encode_record(record: Record) -> bytes:
    """The sealed file of a record: a line of JSON, and the components on a line of their own."""
    main = {
        "key": record.key,
        "kind": record.kind,
        "outputs": [[role, _plain_output(output)] for role, output in record.outputs],
        "diagnostics": [plain_diagnostic(diagnostic) for diagnostic in record.diagnostics],
        "facts": [[name, to_plain(value)] for name, value in record.facts],
        "cost_ms": record.cost_ms,
        "created": record.created,
        "producer": record.producer,
    }
    return seal(_MAGIC, f"{dump_json(main)}\n{record.components}".encode())


def decode_record(content: bytes, key: str) -> Record | None:
    """The record in `content`, or None when it is damaged, of another format, or the record of another key."""
    payload = unseal(_MAGIC, content)
    if payload is None:
        return None
    try:
        main, _, components = payload.decode().partition("\n")
        record = _record_from(cast("dict[str, object]", json.loads(main)), components)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None  # sealed, but not by us
    return record if record.key == key else None


def _record_from(main: dict[str, object], components: str) -> Record:
    outputs = cast("list[tuple[str, object]]", main["outputs"])
    facts = cast("list[tuple[str, object]]", main["facts"])
    return Record(
        str(main["key"]),
        str(main["kind"]),
        components,
        tuple([(str(role), _output_from(output)) for role, output in outputs]),
        diagnostics=tuple([diagnostic_from(one) for one in cast("list[object]", main["diagnostics"])]),
        facts=tuple([(str(name), from_plain(value)) for name, value in facts]),
        cost_ms=float(cast("float", main["cost_ms"])),
        created=int(cast("int", main["created"])),
        producer=str(main["producer"]),
    )


def _plain_output(output: Output) -> object:
    return [output.digest, output.size] if isinstance(output, BodyRef) else output


def _output_from(plain: object) -> Output:
    match plain:
        case "same as input":
            return SAME_AS_INPUT
        case [str(digest), int(size)] if is_digest(digest) and size >= 0:
            return BodyRef(digest, size)
        case _:
            raise ValueError("not an output")


def plain_diagnostic(diagnostic: Diagnostic) -> list[object]:
    """A diagnostic in terms of JSON."""
    span = diagnostic.span
    place = [span.filename, span.begin_line, span.begin_column, span.end_line, span.end_column]
    codes = [diagnostic.code, diagnostic.error_code]
    return [diagnostic.severity, diagnostic.rule, diagnostic.message, place, *codes, diagnostic.help]


def diagnostic_from(plain: object) -> Diagnostic:
    """The inverse of `plain_diagnostic`; raises ValueError for anything else."""
    match _list(plain):
        case [str(severity), str(rule), str(message), place, str(code), int(error_code), str(help)]:
            span = _span_from(place)
            return Diagnostic(severity, rule, message, span, code, error_code, help)
        case _:
            raise ValueError("not a diagnostic")


def _span_from(plain: object) -> Span:
    match _list(plain):
        case [str(file), int(line), int(column), int(end_line), int(end_column)]:
            return Span(file, line, column, end_line, end_column)
        case _:
            raise ValueError("not a place")


def _list(plain: object) -> list[object]:
    return cast("list[object]", plain) if isinstance(plain, list) else []
