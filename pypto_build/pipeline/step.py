# SPDX-License-Identifier: Apache-2.0
"""A pass at its place in a pipeline: what is run, and what of it is in every key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pypto_build.passes.context import PassContext
from pypto_build.passes.contract import Pass
from pypto_build.store.encoding import ComponentValue
from pypto_build.store.key import KeyPrefix


@dataclass(frozen=True, slots=True)
class Step:
    """A pass of a plan: its id there, the pass with its options, and the fingerprint of the code behind it."""

    id: str
    pass_: Pass
    implementation: str
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    _prefixes: dict[tuple[str | bool, ...], KeyPrefix] = field(
        default_factory=dict[tuple[str | bool, ...], KeyPrefix], init=False, repr=False, compare=False
    )

    def prefix(self, context: PassContext) -> KeyPrefix:
        """The part of the keys that is the same for every function and source."""
        facts = tuple([context.fact_key(name) for name in self.pass_.reads])
        prefix = self._prefixes.get(facts)
        if prefix is None:
            prefix = self._prefixes[facts] = self._new_prefix(dict(zip(self.pass_.reads, facts, strict=True)))
        return prefix

    def _new_prefix(self, facts: Mapping[str, str | bool]) -> KeyPrefix:
        return KeyPrefix(
            (
                ("pass", self.pass_.name),
                ("version", self.pass_.version),
                ("implementation", self.implementation),
                ("options", cast(ComponentValue, dict(self.options))),
                ("context", cast(ComponentValue, facts)),
            )
        )
