# SPDX-License-Identifier: Apache-2.0
"""What is kept of one pass run: facts of the functions that came out, not their bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from pypto_build.analysis.call_graph import called_names
from pypto_build.errors import Diagnostic
from pypto_build.host.contracts import FunctionOutline
from pypto_build.ir import Function, FunctionType, SeqStmts, decode, encode, function_digest, signature_digest
from pypto_build.passes.contract import Signature
from pypto_build.pipeline.places import NOWHERE, Place, PlaceTable
from pypto_build.store.key import Key


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """What the next passes' keys and the division into units need to know of a function."""

    name: str
    digest: str
    signature_digest: str
    func_type: str
    callees: tuple[str, ...]

    @staticmethod
    def of(function: Function) -> FunctionFacts:
        """The facts of a function."""
        return FunctionFacts(
            function.name,
            function_digest(function),
            signature_digest(function),
            function.func_type.name,
            called_names(function),
        )

    def outline(self) -> FunctionOutline:
        """What a target may know before the function is loaded."""
        return FunctionOutline(self.name, FunctionType[self.func_type], self.callees)


@dataclass(frozen=True, slots=True)
class StoredDiagnostic:
    """A warning or hint with its place in the form that survives comment edits, and what that place is one of."""

    diagnostic: Diagnostic
    place: Place
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one pass on one function (or on a program), as it is stored.

    `signatures` has an encoded stub for each function whose signature differs from the input's of the same name.
    `same` says that the input came out as it went in.
    """

    functions: tuple[FunctionFacts, ...]
    summary: object = None
    diagnostics: tuple[StoredDiagnostic, ...] = ()
    signatures: Mapping[str, str] | None = None
    same: bool = False
    cost_ms: float = 0.0

    def agrees(self, other: Outcome) -> bool:
        """Whether both are the same result, whatever it cost and wherever it is that they speak of."""
        return same_result(outcome_to_json(self), outcome_to_json(other))


class ResultCache(Protocol):
    """Where results of passes and bodies of functions are kept; each method may forget.

    A value is JSON data: `result` is decided by the key, `places` say what it is about, `cost_ms` what it took.
    """

    def get(self, key: Key) -> dict[str, Any] | None:
        """The value kept under a key."""
        ...

    def put(self, key: Key, value: dict[str, Any]) -> None:
        """Keep a value under a key."""
        ...

    @property
    def doubts(self) -> bool:
        """Whether what is kept shall be made again in this run, to see that it is still the same."""
        ...

    def has_body(self, digest: str) -> bool:
        """Whether there is a body of the function with this digest; it may turn out to be lost."""
        ...

    def body(self, digest: str) -> bytes | None:
        """What is kept as the body of the function with this digest."""
        ...

    def put_body(self, digest: str, content: bytes) -> None:
        """Keep the body of a function."""
        ...


def signature_stub(function: Function) -> str:
    """The function without its body, encoded: enough for callers."""
    stub = Function(
        function.name,
        function.params,
        function.param_directions,
        function.return_types,
        SeqStmts(()),
        func_type=function.func_type,
        level=function.level,
        role=function.role,
        attrs=function.attrs,
    )
    return encode(stub).decode()


def signature_from_stub(text: str) -> Signature:
    """The signature in an encoded stub."""
    return Signature.of(decode(text.encode()))


def store_diagnostics(diagnostics: tuple[Diagnostic, ...], places: PlaceTable) -> tuple[StoredDiagnostic, ...]:
    """Diagnostics in the form that is stored."""
    found = [places.place(d.span) for d in diagnostics]
    shapes = places.shapes(found)
    return tuple(StoredDiagnostic(d, at, shapes.get(at[0], "")) for d, at in zip(diagnostics, found, strict=True))


def can_replay(stored: tuple[StoredDiagnostic, ...], places: PlaceTable) -> bool:
    """Whether the places of stored diagnostics are known in this run's text."""
    return all(places.holds({item.place[0]: item.shape}) for item in stored if item.place != NOWHERE)


def replay_diagnostics(stored: tuple[StoredDiagnostic, ...], places: PlaceTable) -> tuple[Diagnostic, ...]:
    """Stored diagnostics at the places that they have in this run's text."""
    result: list[Diagnostic] = []
    for item in stored:
        d = item.diagnostic
        span = places.span(item.place) if item.place != NOWHERE else d.span
        result.append(Diagnostic(d.severity, d.rule, d.message, span, d.code, d.error_code, d.help))
    return tuple(result)


def same_result(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two values of a cache say the same, but for costs and places."""
    first, second = (json.dumps(value["result"], sort_keys=True) for value in (one, other))
    return first == second


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain JSON data."""
    said, places = diagnostics_to_json(outcome.diagnostics)
    result = {
        "functions": [[f.name, f.digest, f.signature_digest, f.func_type, list(f.callees)] for f in outcome.functions],
        "summary": _plain(outcome.summary),
        "diagnostics": said,
        "signatures": dict(outcome.signatures or {}),
        "same": outcome.same,
    }
    return {"result": result, "places": places, "cost_ms": round(outcome.cost_ms, 3)}


def outcome_from_json(data: dict[str, Any]) -> Outcome:
    """The outcome that `outcome_to_json` wrote."""
    result = data["result"]
    functions = tuple(FunctionFacts(n, d, s, t, tuple(c)) for n, d, s, t, c in result["functions"])
    diagnostics = diagnostics_from_json(result["diagnostics"], data["places"])
    summary = freeze(result["summary"])
    return Outcome(functions, summary, diagnostics, result["signatures"], result["same"], data["cost_ms"])


def diagnostics_to_json(stored: tuple[StoredDiagnostic, ...]) -> tuple[list[object], list[object]]:
    """Stored diagnostics as plain JSON data, and apart from it their places."""
    said: list[object] = [
        [d.severity, d.rule, d.message, d.code, d.error_code, d.help] for d in (item.diagnostic for item in stored)
    ]
    return said, [[*item.place, item.shape] for item in stored]


def diagnostics_from_json(said: list[Any], places: list[Any]) -> tuple[StoredDiagnostic, ...]:
    """The inverse of `diagnostics_to_json`."""
    return tuple(
        StoredDiagnostic(
            Diagnostic(severity, rule, text, code=code, error_code=number, help=hint), (name, ordinal), shape
        )
        for (severity, rule, text, code, number, hint), (name, ordinal, shape) in zip(said, places, strict=True)
    )


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value)
        return {key: _plain(items[key]) for key in sorted(items)}
    return value


def freeze(value: object) -> object:
    """JSON data with lists as tuples: the form that summaries have in memory, stored or not."""
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in cast("tuple[object, ...]", value))
    if isinstance(value, Mapping):
        return {key: freeze(item) for key, item in cast("Mapping[str, object]", value).items()}
    return value
