# SPDX-License-Identifier: Apache-2.0
"""Effects on arguments that depend on an attribute of the call."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.ir import ArgEffect, AtomicType, NotifyOp


def write_unless_atomic(kwargs: Mapping[str, object]) -> ArgEffect:
    """A store overwrites its destination; an atomic one adds to what is there, so it reads it."""
    return ArgEffect.Write if kwargs.get("atomic", AtomicType.None_) == AtomicType.None_ else ArgEffect.ReadWrite


def notify_effect(kwargs: Mapping[str, object]) -> ArgEffect:
    """A notification adds to the signal unless it sets it."""
    return ArgEffect.Write if kwargs.get("op", NotifyOp.AtomicAdd) == NotifyOp.Set else ArgEffect.ReadWrite


def soft_sync_effect(kwargs: Mapping[str, object]) -> ArgEffect:
    """The soft barrier counts arrivals in its workspace; the hard one does not touch it."""
    return ArgEffect.ReadWrite if kwargs.get("mode", "hard") == "soft" else ArgEffect.Read
