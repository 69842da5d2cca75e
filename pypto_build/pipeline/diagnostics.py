# SPDX-License-Identifier: Apache-2.0
"""Which warnings and hints a pipeline wants: names of checks and of what passes say, looked up like any other name."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import UserError
from pypto_build.host import Contribution, Kind, PluginHost
from pypto_build.host.suggest import did_you_mean
from pypto_build.passes.checks import Check, plain_name
from pypto_build.passes.properties import IRProperty
from pypto_build.pipeline.model import Text
from pypto_build.pipeline.problems import Problems


def check_names(host: PluginHost) -> tuple[str, ...]:
    """The names of all checks: what is registered beside the verifiers of properties."""
    properties = {plain_name(prop.name) for prop in IRProperty}
    return tuple(name for name in host.names_in_use(Kind.VERIFIER) if plain_name(name) not in properties)


def loaded_check(host: PluginHost, contribution: Contribution) -> Check:
    """A check.

    Raises:
        UserError: it cannot be loaded, or is no check of this name.
    """
    check = host.load(contribution)
    if isinstance(check, Check) and plain_name(check.name) == plain_name(contribution.name):
        return check
    help = "a verifier has the name of an IR property; a check has its own name in snake_case"
    raise UserError("CHECK001", f"{contribution} is neither of an IR property nor a check of that name", help=help)


def check_known(
    host: PluginHost, problems: Problems, *, disable: Iterable[Text] = (), enable: Iterable[Text] = ()
) -> None:
    """Put names that nobody has into `problems`; codes of passes (`PH-...`) are known only to the passes."""
    checks = [loaded_check(host, host.find(Kind.VERIFIER, name)) for name in check_names(host)]
    own = [name for check in checks for name in (check.code, check.name) if name]
    said = [*own, *host.registry.names(Kind.PASS), *(prop.name for prop in IRProperty)]
    for known, texts in ((said, disable), (own, enable)):
        plain = {plain_name(name) for name in known}
        for text in texts:
            if plain_name(text.value) not in plain and not text.value.startswith("PH-"):
                help = did_you_mean(text.value, known) or "checks: " + ", ".join(f"`{one}`" for one in sorted(own))
                problems.add(UserError("PIPE026", f"there is no diagnostic `{text.value}`", text.span, help=help))
