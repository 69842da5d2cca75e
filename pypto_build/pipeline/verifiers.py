# SPDX-License-Identifier: Apache-2.0
"""The verifiers that plugins provide, by the property that each re-derives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from pypto_build.errors import Diagnostic
from pypto_build.host import Kind, PluginHost, attributed
from pypto_build.ir import Program
from pypto_build.passes import IRProperty, PassContext, Verifier, VerifierRegistry


def verifier_registry(host: PluginHost) -> VerifierRegistry:
    """Every property that some plugin verifies; a verifier is imported when it is first asked."""
    by_name = {prop.name.lower(): prop for prop in IRProperty}  # `tile_ops_2d` is TileOps2D
    loaders: dict[IRProperty, Callable[[], Verifier]] = {}
    for name in host.names_in_use(Kind.VERIFIER):
        prop = by_name.get(name.replace("_", ""))
        if prop is not None:
            loaders[prop] = partial(_loaded, host, name)
    return VerifierRegistry(loaders)


def _loaded(host: PluginHost, name: str) -> Verifier:
    contribution = host.find(Kind.VERIFIER, name)
    verifier = cast(Verifier, host.load(contribution))

    def verify(program: Program, context: PassContext) -> tuple[Diagnostic, ...]:
        with attributed(contribution):
            return tuple(verifier(program, context))  # here, since a generator fails where it is read

    return verify
