# SPDX-License-Identifier: Apache-2.0
"""Actions that let `scons --debug=explain` say which of their variables changed, instead of that something did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pypto_build.scons.modules import scons

_LONGEST = 40  # of a value in an explanation
_DIGEST = 12  # digits of one


def signed_action(function: Callable[..., None], comstr: str, variables: Sequence[str] = ()) -> Any:
    """An action with a line to print; a target is made again when the value of one of the variables changes."""

    def described(target: list[Any], source: list[Any], env: Any) -> str:
        del target, source
        return " ".join((function.__name__, *_settings(variables, env)))

    made = scons("Action").Action(function, comstr, varlist=list(variables))
    made.genstring = described  # SCons keeps it beside the signature, and shows the old one and the new one
    return made


def _settings(variables: Sequence[str], env: Any) -> Iterator[str]:
    for variable in variables:
        value = env.get(variable)
        if value:
            yield f"{variable}={str(value)[: _DIGEST if variable == 'PTOIMPLEMENTATION' else _LONGEST]}"
