# SPDX-License-Identifier: Apache-2.0
"""NormalizeStmtStructure: no sequence stands in a sequence, and none holds a single statement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import Function, Program, Rewriter, SeqStmts, Stmt, YieldStmt, collect, sequence
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext


@dataclass(frozen=True, slots=True)
class NormalizeStmtStructure(FunctionPass):
    """Flatten nested sequences and unwrap those of one statement."""

    name: ClassVar[str] = "NormalizeStmtStructure"
    produces: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.NormalizedStmtStructure})

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with flat bodies; the same object when they are flat already."""
        del callees, context
        return _Flattener().visit(function)


class _Flattener(Rewriter):
    REWRITES_TYPES = False

    def visit_seq_stmts(self, seq: SeqStmts) -> Stmt:
        new = super().visit_seq_stmts(seq)
        return sequence(new.stmts, new.span) if isinstance(new, SeqStmts) and is_redundant(new) else new


def is_redundant(seq: SeqStmts) -> bool:
    """Whether a sequence holds one statement or another sequence."""
    return len(seq.stmts) == 1 or any(isinstance(stmt, SeqStmts) for stmt in seq.stmts)


def verify_normalized(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every sequence that normalization would change."""
    del context
    yield from _redundant(program, "NormalizedStmtStructure")


def verify_no_redundant_blocks(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """The same at any stage: nested sequences and sequences of one statement are never well formed."""
    del context
    yield from _redundant(program, "NoRedundantBlocks")
    for function in program.functions.values():
        for seq in collect(function, SeqStmts):
            for stmt in seq.stmts[:-1]:
                if isinstance(stmt, YieldStmt):
                    text = f"YieldStmt before the terminating position of a sequence in function '{function.name}'"
                    yield Diagnostic("error", "NoRedundantBlocks", text, stmt.span)


def _redundant(program: Program, rule: str) -> Iterable[Diagnostic]:
    for function in program.functions.values():
        for seq in collect(function, SeqStmts):
            if len(seq.stmts) == 1:
                text = f"SeqStmts with a single child in function '{function.name}': the statement should stand alone"
                yield Diagnostic("error", rule, text, seq.span)
            elif is_redundant(seq):
                text = f"SeqStmts nested in SeqStmts in function '{function.name}': the sequence should be flat"
                yield Diagnostic("error", rule, text, seq.span)
