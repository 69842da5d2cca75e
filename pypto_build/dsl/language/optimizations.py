# SPDX-License-Identifier: Apache-2.0
"""`pl.optimizations`: what goes into `optimizations=[...]` of a scope."""

from pypto_build.dsl.language.kernel import CrossCoreSlot, Split, cross_core_slot, split

__all__ = ["CrossCoreSlot", "Split", "cross_core_slot", "split"]
