# SPDX-License-Identifier: Apache-2.0
"""MaterializeSemanticAliases: what a loop carries, and what branches merge into, is in one buffer throughout.

The web of a carry joins that of its initial value and that of the yielded value, the web of a merge those of the
branches, wherever both never hold something at the same time. Where they do, a `tile.move` is put in front of the loop
or at the end of the body; several of them are ordered so that none destroys the source of another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import Function, FunctionType, TileType
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.alias_rewriter import rewritten
from pypto_passes.declared_lifetimes import check_declared_lifetimes
from pypto_passes.tile_webs import TileWebs
from pypto_passes.web_coalescing import coalesced, compounds

P = IRProperty


@dataclass(frozen=True, slots=True)
class MaterializeSemanticAliases(FunctionPass):
    """Put the tiles that carries and merges connect into one buffer, by sharing where possible, else by moves."""

    name: ClassVar[str] = "MaterializeSemanticAliases"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SplitIncoreOrch, P.IncoreTileOps, P.HasMemRefs, P.TileOps2D, P.NormalizedStmtStructure}
    )
    after: ClassVar[tuple[str, ...]] = ("InitMemRef",)
    before: ClassVar[tuple[str, ...]] = ("MemoryReuse", "AllocateMemoryAddr")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with one buffer for each carry and each merge; the same object when that is so already.

        Raises:
            UserError: two tiles are bound to one slot of a declared allocation while both are needed.
            InternalError: a tile of the cube would have to be moved within its memory.
        """
        del callees
        return with_semantic_aliases(function, context)


def with_semantic_aliases(function: Function, context: PassContext) -> Function:
    """The same as the pass, for passes that rely on it."""
    if function.func_type is FunctionType.Orchestration:
        return function
    new = function
    if has_merges(function):
        webs = TileWebs(function, context)
        new = rewritten(function, webs, coalesced(function, webs), context)
    check_declared_lifetimes(new, context)
    return new


def has_merges(function: Function) -> bool:
    """Whether some loop or branch hands on a tile."""
    return any(isinstance(var.type, TileType) for stmt in compounds(function.body) for var in stmt.return_vars)
