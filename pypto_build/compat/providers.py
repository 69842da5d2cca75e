# SPDX-License-Identifier: Apache-2.0
"""The passes, verifiers and checks that plugins provide, by the names of the public interface."""

from __future__ import annotations

from functools import cache
from typing import cast

from pypto_build.errors import UserError
from pypto_build.host import Kind, PluginHost
from pypto_build.passes import Check, Pass, VerifierRegistry
from pypto_build.passes.checks import plain_name as _plain
from pypto_build.pipeline.diagnostics import loaded_check
from pypto_build.pipeline.verifiers import verifier_registry


@cache
def host() -> PluginHost:
    """One host for the process: which plugins there are does not change while a program runs."""
    made = PluginHost()
    made.survey()
    return made


def pass_class(name: str) -> type[Pass] | None:
    """The class of a pass by its snake_case name, or None."""
    try:
        found = host().find(Kind.PASS, name)
    except UserError:
        return None
    return cast("type[Pass]", host().load(found))


def pass_names() -> list[str]:
    """The snake_case names of all passes."""
    return list(host().registry.names(Kind.PASS))


@cache
def verifiers() -> VerifierRegistry:
    """The verifiers of all plugins."""
    return verifier_registry(host())


def find_check(name: str) -> Check | None:
    """The check of a CamelCase name, or None."""
    name = _provided().get(_plain(name), "")
    return loaded_check(host(), host().find(Kind.VERIFIER, name)) if name else None


@cache
def _provided() -> dict[str, str]:
    """The names of verifiers without underscores: `SSAForm` and `ssa_form` are one name."""
    return {_plain(name): name for name in host().registry.names(Kind.VERIFIER)}
