# SPDX-License-Identifier: Apache-2.0
"""NoNestedInCore: a region that becomes a kernel contains no other one."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import InCoreScopeStmt, Program, collect
from pypto_build.passes import PassContext


def verify_no_nested_in_core(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every InCore scope inside another one."""
    del context
    for function in program.functions.values():
        nested = {
            inner: None
            for outer in collect(function.body, InCoreScopeStmt)
            for inner in collect(outer.body, InCoreScopeStmt)
        }
        for scope in nested:
            text = f"Nested InCore scope in function '{function.name}': a kernel cannot start another kernel"
            yield Diagnostic("error", "NoNestedInCore", text, scope.span)
