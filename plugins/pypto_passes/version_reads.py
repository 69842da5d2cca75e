# SPDX-License-Identifier: Apache-2.0
"""Reads of variables during the conversion to SSA form: each reads the current version, which there may not be.

A variable that one branch assigns, or a loop in a scope that has ended, has no version behind it. Python would run such
a program and fail only where the value is missing; here no value could be handed on, so its author has to say which.
"""

from __future__ import annotations

from collections.abc import Container

from pypto_build.errors import UNKNOWN_SPAN, UserError
from pypto_build.ir import Expr, Rewriter, Var


class VersionReads(Rewriter):
    """Replaces variables by their versions in `substitution`, and refuses those of `refused` that have none there."""

    def __init__(self, refused: Container[Var]) -> None:
        super().__init__()
        self._refused = refused
        self.place = UNKNOWN_SPAN
        """The statement that reads."""

    def visit_var(self, var: Var) -> Expr:
        version = self.substitution.get(var)
        if version is not None:
            return version
        if var in self._refused:
            raise UserError(
                "SSA001",
                f"'{var.name_hint}' may have no value here: what assigns it is a branch or a loop that may not run",
                self.place,
                help="assign it before that branch or loop, or in each branch",
                notes=(("assigned here", var.span),),
            )
        return var
