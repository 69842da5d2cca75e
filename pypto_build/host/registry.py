# SPDX-License-Identifier: Apache-2.0
"""Who provides which name: contributions are text until somebody uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pypto_build.errors import UNKNOWN_SPAN, Span, UserError

NO_REPLACEMENTS: Mapping[str, str] = MappingProxyType({})


class Kind(StrEnum):
    """What a name can stand for."""

    PASS = "pass"
    OP = "op"
    VERIFIER = "verifier"
    TARGET = "target"
    SIMULATOR = "simulator"
    STORE = "store"
    COMMAND = "command"

    @property
    def plural(self) -> str:
        """The word for several."""
        return f"{self}es" if self is Kind.PASS else f"{self}s"


# The registering hook of each kind.
REGISTERING_HOOKS: Mapping[str, Kind] = MappingProxyType(
    {
        "pypto_register_passes": Kind.PASS,
        "pypto_register_ops": Kind.OP,
        "pypto_register_verifiers": Kind.VERIFIER,
        "pypto_register_targets": Kind.TARGET,
        "pypto_register_simulators": Kind.SIMULATOR,
        "pypto_register_stores": Kind.STORE,
        "pypto_register_commands": Kind.COMMAND,
    }
)


@dataclass(frozen=True, slots=True)
class Contribution:
    """A name, the `module:attribute` behind it, and the plugin that provides it.

    `requested` is false for an installed plugin that nobody asked for: it answers only for names that no other plugin
    provides.
    """

    kind: Kind
    name: str
    reference: str
    provider: str
    requested: bool = True

    def __str__(self) -> str:
        return f"{self.kind} `{self.name}` of plugin `{self.provider}`"


class Registry:
    """The contributions of all plugins, looked up by kind and name. It never changes; a new plugin means a new one."""

    def __init__(
        self, contributions: Iterable[Contribution], replacements: Mapping[str, str] = NO_REPLACEMENTS
    ) -> None:
        self._replacements = dict(replacements)
        self._providers: dict[tuple[Kind, str], tuple[Contribution, ...]] = {}
        for one in contributions:
            key = (one.kind, one.name)
            self._providers[key] = (*self._providers.get(key, ()), one)

    def __iter__(self) -> Iterator[Contribution]:
        return (one for providers in self._providers.values() for one in providers)

    def names(self, kind: Kind) -> tuple[str, ...]:
        """All names of a kind, sorted."""
        return tuple(sorted(name for of_kind, name in self._providers if of_kind is kind))

    def providers(self, kind: Kind, name: str) -> tuple[Contribution, ...]:
        """The contributions that claim a name: more than one is a conflict."""
        all_of_them = self._providers.get((kind, name), ())
        chosen = self._replacements.get(name)
        if chosen is not None and any(one.provider == chosen for one in all_of_them):
            return tuple(one for one in all_of_them if one.provider == chosen)
        requested = tuple(one for one in all_of_them if one.requested)
        return requested or all_of_them

    def lookup(self, kind: Kind, name: str, *, span: Span = UNKNOWN_SPAN) -> Contribution | None:
        """The contribution behind a name, or None; two providers are an error that names both."""
        providers = self.providers(kind, name)
        if len(providers) > 1:
            raise duplicate_error(providers, span)
        return providers[0] if providers else None


def duplicate_error(providers: tuple[Contribution, ...], span: Span) -> UserError:
    """Two plugins claim one name, and nothing says which one counts."""
    first = providers[0]
    owners = " and ".join(f"plugin `{one.provider}`" for one in providers)
    return UserError(
        "HOST006",
        f"{first.kind} `{first.name}` is provided by {owners}",
        span,
        help=f"say in the pipeline which one counts: `replace: {{{first.name}: {providers[-1].provider}}}`",
    )
