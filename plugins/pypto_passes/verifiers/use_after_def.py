# SPDX-License-Identifier: Apache-2.0
"""UseAfterDef: every variable that is read was bound before, at any stage of the compilation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import Program, Var
from pypto_build.passes import PassContext
from pypto_passes.verifiers.scoped_walk import ScopedWalk

USE_BEFORE_DEF = 401


def verify_use_after_def(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every variable that is read before it is bound, once per function."""
    del context
    for function in program.functions.values():
        walk = _Uses(function.name)
        walk.walk(function)
        yield from walk.found.values()


class _Uses(ScopedWalk):
    LEAKS: ClassVar[bool] = True

    def __init__(self, function: str) -> None:
        super().__init__()
        self.function = function
        self.found: dict[Var, Diagnostic] = {}

    def unseen(self, var: Var) -> None:
        text = f"Variable '{var.name_hint}' used before definition in function '{self.function}'"
        found = Diagnostic("error", "UseAfterDefCheck", text, self.place, error_code=USE_BEFORE_DEF)
        self.found.setdefault(var, found)
