# SPDX-License-Identifier: Apache-2.0
"""What a build tool asks for and what it gets back: plain values that travel as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Self, cast

from pypto_build.host import HostOptions
from pypto_build.store.verify_rate import DEFAULT_RATE

_ANY_PLUGINS = HostOptions()


class _Travelling:
    """To and from JSON by field; lists become tuples on the way in."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """The fields as plain data."""
        return asdict(self)  # type: ignore[call-overload]  # every subclass is a dataclass

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_json`; fields that are not known are left out."""
        known = {f.name for f in fields(cls)}  # type: ignore[arg-type]  # every subclass is a dataclass
        values = {name: _frozen(value) for name, value in data.items() if name in known}
        if isinstance(values.get("host"), dict):
            values["host"] = HostOptions(**{name: _frozen(value) for name, value in values["host"].items()})
        return cls(**values)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in cast("list[Any]", value)) if isinstance(value, list) else value


def map_beside(path: str) -> str:
    """Where the source map of an object is."""
    return path.removesuffix(".ptobj") + ".ptomap"


@dataclass(frozen=True, slots=True)
class CompileRequest(_Travelling):
    """Compile one source into an object.

    pipeline is a name or a path, with `@variant` behind it if one is wanted; defines are (name, value) pairs; entry
    picks a program where a source holds several; arguments are those of a `@pl.jit` entry (`a=f32[64,64]`, `n=7`);
    output is empty when nothing is to be written; shared_store is `NAME:LOCATION` of a plugin's store behind the local
    one, asked for what that does not have; one build in verify_rate makes again what it finds, to
    see that it is still right, none when that is 0; host says which plugins may take part; disable and enable are
    names of warnings and hints; report_passes asks for a row of the result for each pass and function; with isolate,
    targets of plugins that are not ours run in processes of their own, for at most so many seconds, or for any time
    when that is 0; allow_unordered makes warnings of broken order rules.
    """

    source: str
    output: str
    pipeline: str = "default"
    defines: tuple[tuple[str, str], ...] = ()
    entry: str = ""
    arguments: tuple[str, ...] = ()
    search_path: tuple[str, ...] = ()
    locations: str = "map"
    store: str = ""
    store_mode: str = "off"
    shared_store: str = ""
    verify_rate: int = DEFAULT_RATE
    source_digest: str = ""  # SHA-256 that the caller saw; another one means that the file was edited meanwhile
    dump_passes: str = ""
    disable: tuple[str, ...] = ()
    enable: tuple[str, ...] = ()
    host: HostOptions = _ANY_PLUGINS
    report_passes: bool = False
    isolate: float | None = None
    allow_unordered: bool = False

    @property
    def map_output(self) -> str:
        """Where the source map goes."""
        return map_beside(self.output) if self.output else ""


@dataclass(frozen=True, slots=True)
class CompileResult(_Travelling):
    """What became of a request.

    status is 0, 2 (the input is wrong) or 70 (a bug of ours); messages are rendered warnings, error the rendered error;
    found says that the store had the whole object, so that nothing else was looked at; passes are rows of
    `driver.history`, when they were asked for.
    """

    status: int
    error: str = ""
    messages: tuple[str, ...] = ()
    passes_total: int = 0
    passes_run: int = 0
    ran: tuple[str, ...] = ()
    first_difference: str = ""
    written: bool = False
    object_digest: str = ""
    found: bool = False
    passes: tuple[tuple[str, str, str, str, float], ...] = ()

    def summary(self) -> str:
        """`47/49 passes reused; ran: ...; first difference: ...`."""
        parts = [f"{self.passes_total - self.passes_run}/{self.passes_total} passes reused"]
        if self.ran:
            parts.append("ran: " + ", ".join(self.ran))
        if self.first_difference:
            parts.append(f"first difference: {self.first_difference}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class SimulateRequest(_Travelling):
    """Run an object on the inputs of its golden file and compare.

    golden is a Python file with `inputs(rng)` and `expected(inputs)`; report is where the JSON report goes. The
    simulator is the one of this name, else that of the pipeline, else the functional one. With isolate it runs in a
    process of its own, for at most so many seconds, or for any time when that is 0.
    """

    object: str
    golden: str
    report: str
    simulator: str = ""
    pipeline: str = ""
    seed: int = 0
    search_path: tuple[str, ...] = ()
    isolate: float | None = None
    host: HostOptions = _ANY_PLUGINS


@dataclass(frozen=True, slots=True)
class SimulateResult(_Travelling):
    """What a simulation found; status as for CompileResult, 2 also when a result is out of tolerance."""

    status: int
    error: str = ""
    max_error: float = 0.0
    messages: tuple[str, ...] = ()
