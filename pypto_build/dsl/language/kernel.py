# SPDX-License-Identifier: Apache-2.0
"""Loops, scopes, task launches and directives: names that the front end reads and Python never runs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from enum import Enum
from typing import Final

from pypto_build.dsl.language.signatures import signature_of
from pypto_build.errors import UserError
from pypto_build.ir import ConstBool, ConstFloat, ConstInt, DataType, Expr, SplitMode


class KernelName:
    """A name that means something inside a kernel only."""

    def __init__(self, name: str, written: str) -> None:
        self.__name__ = name
        self.__qualname__ = f"pl.{name}"
        self.__signature__ = signature_of(written)

    def __call__(self, *_args: object, **_kwargs: object) -> object:
        """Refuse: this is Python running, not a kernel being read."""
        from pypto_build.dsl.surroundings import caller, place_of  # loaded when there is something to say

        raise UserError(
            "E001",
            f"{self.__qualname__}() can only be used inside a function decorated with @pl.function",
            place_of(caller()),
            help="Python called it directly; move it into a kernel",
        )

    def __repr__(self) -> str:
        return self.__qualname__


_SIGNATURES: Final = {
    "at": "level, role?, *, optimizations?, deps?, no_dep_args?, dumps?, allow_early_resolve=False, name_hint='', "
    "windowize=False",
    "cluster": "*, name_hint=''",
    "cond": "condition",
    "func_attr": "attrs",
    "manual_scope": "",
    "parallel": "*args, init_values?",
    "pipeline": "*args, stage, init_values?",
    "range": "*args, init_values?",
    "scope": "*, mode?, name_hint=''",
    "spmd": "core_num, *, sync_start=False, name_hint='', optimizations?, deps?, allow_early_resolve=False, predicate?",
    "spmd_submit": "*args, **kwargs",
    "split_aiv": "n, *, mode",
    "static_assert": "condition, msg=''",
    "static_print": "*args",
    "submit": "*args, **kwargs",
    "unroll": "*args",
    "while_": "*, init_values?",
    "yield_": "*values",
}
KERNEL: Final = {name: KernelName(name, written) for name, written in _SIGNATURES.items()}


class ScopeMode(Enum):
    """Who orders the tasks of a scope: the runtime, or the program through `deps=`."""

    AUTO = "auto"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Split:
    """An optimization of a scope: divide its work between the vector cores."""

    mode: SplitMode
    slot_num: int | None = None


@dataclass(frozen=True, slots=True)
class CrossCoreSlot:
    """An optimization of a scope: how many slots the ring between the cores has."""

    slot_num: int


def split(mode: SplitMode, *, slot_num: int | None = None) -> Split:
    """Divide the scope's work between the vector cores; goes into `optimizations=[...]`."""
    if slot_num is not None:
        message = "pl.split(slot_num=) is deprecated: write pl.cross_core_slot(slot_num=) beside it"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
    return Split(mode, slot_num)


def cross_core_slot(*, slot_num: int) -> CrossCoreSlot:
    """Give the ring between the cores this many slots; goes into `optimizations=[...]`.

    Raises:
        ValueError: no slot at all.
    """
    if not isinstance(slot_num, int) or isinstance(slot_num, bool) or slot_num < 1:  # type: ignore[unnecessary-isinstance]  # users' input
        raise ValueError(f"pl.cross_core_slot() slot_num must be a positive integer, got {slot_num!r}")
    return CrossCoreSlot(slot_num)


def const(value: float, dtype: DataType) -> Expr:
    """A literal of a chosen element type."""
    if dtype is DataType.BOOL:
        return ConstBool(bool(value))
    if dtype.is_float():
        return ConstFloat(float(value), dtype)
    return ConstInt(int(value), dtype)


class _Runtime:
    """Marks a scalar argument whose value is known only when the kernel runs."""

    def __repr__(self) -> str:
        return "pl.RUNTIME"


RUNTIME: Final = _Runtime()
AUTO: Final = -1
