# SPDX-License-Identifier: Apache-2.0
"""How the public language spells operations whose IR form is not `pl.<name>(arguments, attributes)`.

Source: the public signatures of the language's operations. An argument after one that users may leave out, or whose
place another parameter takes, is written by keyword; numbers that stand for a choice are written by name.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from enum import IntEnum

from pypto_build.ir.enums import AtomicType, NotifyOp, PipeType, ReduceOp, WaitCmp
from pypto_build.ir.expr import Expr, MakeTuple

CAST_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")
CASTS = frozenset({"tile.cast", "tensor.cast"})
ALLOCATIONS = frozenset({"tile.alloc", "tensor.alloc"})
ATTRIBUTES_FIRST = frozenset({"tile.full", "tensor.full", "tile.reinterpret_view", "tensor.reinterpret_view"})
BY_POSITION_OR_TYPE = "tile.mgather"
SPLIT_BY_REGION = frozenset({"tile.aiv_shard", "tile.aic_gather", "tensor.aiv_shard", "tensor.aic_gather"})
TASK_DUMMY = "system.task_dummy"
SYNC_ALL = "system.syncall"
ALL_CORES = "used_cores=0"  # a barrier of all cores has no count in the IR, and must have one in the text
REMOTE_LOAD = "pld.tile.remote_load"
TAIL_PADDING = "allow_physical_tail_padding"
PADDED_REMOTE_LOAD = "_remote_load_with_physical_tail_padding"

# operation -> number of the argument -> its keyword
KEYWORD_ARGUMENTS: Mapping[str, Mapping[int, str]] = {
    "tile.full": {1: "value"},
    "tensor.full": {1: "value"},
    "tile.reinterpret_view": {1: "shape"},
    "tensor.reinterpret_view": {1: "shape"},
    "tile.matmul_acc": {3: "init_cond"},
    "tensor.matmul_acc": {3: "init_cond"},
    "tile.gather_row": {5: "valid_shape"},
    "tensor.gather_row": {5: "valid_shape"},
    "tile.tri": {2: "valid_shape"},
    "tile.random": {7: "valid_shape"},
    "tensor.gather": {1: "index"},
    "tensor.scatter": {1: "index", 2: "src"},
    "tensor.scatter_update": {1: "index", 2: "src"},
    "tile.scatter_update": {1: "index", 2: "src"},
    SYNC_ALL: {0: "gm_workspace", 1: "used_cores"},
}
_TILE_TRANSFER = {4: "dst_offsets", 5: "src_offsets", 6: "shape"}  # without the second stage
_TILE_TRANSFERS = frozenset({"pld.tile.get", "pld.tile.put"})

_CHOICES_BY_KWARG: Mapping[str, type[IntEnum]] = {
    "atomic": AtomicType,
    "set_pipe": PipeType,
    "wait_pipe": PipeType,
    "pipe": PipeType,
    "cmp": WaitCmp,
}


def argument_keyword(operation: str, args: tuple[Expr, ...], index: int) -> str | None:
    """The keyword of a call's argument, or None for a positional one."""
    if operation == BY_POSITION_OR_TYPE and index >= 2:
        return "valid_shape" if isinstance(args[index], MakeTuple) else "scratch"
    if operation in _TILE_TRANSFERS and len(args) == 7:
        return _TILE_TRANSFER.get(index)
    return KEYWORD_ARGUMENTS.get(operation, {}).get(index)


def named_choice(operation: str, kwarg: str, value: object) -> object:
    """The member or name that a number stands for; any other value as it is."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if operation in CASTS and kwarg == "mode":
        return CAST_MODES[value] if 0 <= value < len(CAST_MODES) else value
    choices = _choices(operation, kwarg)
    return choices(value) if choices is not None and value in choices.__members__.values() else value


def _choices(operation: str, kwarg: str) -> type[IntEnum] | None:
    if kwarg == "op" and operation.startswith("pld."):
        return NotifyOp if operation == "pld.system.notify" else ReduceOp
    return _CHOICES_BY_KWARG.get(kwarg)


def spelled(operation: str, pl: str) -> str:
    """`tile.and` -> `pl.tile.and_`; operations of the distributed language keep their own module."""
    name = f"{operation}_" if keyword.iskeyword(operation.rpartition(".")[2]) else operation
    return name if name.startswith("pld.") else f"{pl}.{name}"
