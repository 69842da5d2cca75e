# SPDX-License-Identifier: Apache-2.0
"""What the host knows about one plugin, whether or not it was imported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.host.registry import Contribution, Kind


class Source(StrEnum):
    """Where a plugin comes from."""

    BUILT_IN = "built-in"
    LOCAL = "local"
    INSTALLED = "installed"


class State(StrEnum):
    """What became of a plugin."""

    OK = "ok"
    BLOCKED = "blocked"
    INCOMPATIBLE = "incompatible"
    BROKEN = "broken"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plugin before anything of it was read: its name and where its module is.

    `location` is a dotted module name (`package.plugin`, or `package.plugin:object`), or the absolute path of a local
    file or package. `span` is the place that asked for it, if one did.
    """

    name: str
    source: Source
    location: str
    distribution: str = ""
    version: str = ""
    span: Span = UNKNOWN_SPAN
    requested: bool = True


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What a plugin's module says about itself, read from its text or from the imported module.

    `complete` is false when the text leaves a name open, so that only an import can tell.
    """

    api: int | None = None
    hooks: tuple[str, ...] = ()
    contributions: tuple[tuple[Kind, str, str], ...] = ()
    complete: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin and its state; `reason` says in one line why the state is not `ok`."""

    candidate: Candidate
    state: State
    reason: str = ""
    api: int | None = None
    hooks: tuple[str, ...] = ()
    contributions: tuple[Contribution, ...] = ()

    @property
    def name(self) -> str:
        """The name by which `-p`, `replace:` and messages call it."""
        return self.candidate.name

    @property
    def title(self) -> str:
        """The plugin's name with the version of what it was installed from, if any."""
        version = f" {self.candidate.version}" if self.candidate.version else ""
        return f"plugin `{self.name}`{version}"
