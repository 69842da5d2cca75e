# SPDX-License-Identifier: Apache-2.0
"""What each instruction on tiles computes, in words of the IR's operations: their semantics are used, not repeated.

An instruction says less than the operation that it was made from (what only shaped the result is gone) and says it
elsewhere (the element type of a conversion is that of its destination), so a meaning gathers what the semantics need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pypto_build.ir import PadValue
from pypto_simulators.functional.values import Block, Value
from pypto_simulators.pto_text.module import Operation

if TYPE_CHECKING:
    from pypto_simulators.pto_text.buffers import Tile

COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge")
ROUNDINGS: Final = ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD")
MASKS: Final = ("P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111")  # numbered from 1
OUTSIDE: Final = ("undefined", "clamp", "wrap", "zero")


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction that is about to run: its evaluated operands, the tiles and the global memory that it writes."""

    instruction: Operation
    operands: tuple[Value, ...]
    tiles: tuple[Tile, ...]
    memory: tuple[Block, ...] = ()

    def word(self, name: str, default: str = "") -> str:
        """An attribute that is a word."""
        return str(self.instruction.attributes.get(name, default))

    def number(self, name: str) -> int:
        """An attribute that is an integer; 0 when it is missing."""
        value = self.instruction.attributes.get(name, 0)
        return int(value) if isinstance(value, int | float) else 0

    @property
    def target(self) -> Tile:
        """The first tile that is written."""
        return self.tiles[0]


Arguments = Callable[[Step], tuple[Value, ...]]
Attributes = Callable[[Step], Mapping[str, object]]


def _as_written(step: Step) -> tuple[Value, ...]:
    return step.operands


def _none(_: Step) -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True)
class Meaning:
    """The operation that an instruction stands for, its arguments and its attributes."""

    operation: str
    arguments: Arguments = _as_written
    attributes: Attributes = _none


def _shape(step: Step) -> tuple[int, int]:
    return step.target.kind.shape


def _into_target(step: Step) -> tuple[Value, ...]:
    """The operation has its destination as first argument."""
    return (step.target.block(), *step.operands)


def _at_offsets(step: Step) -> tuple[Value, ...]:
    source, row, column = step.operands
    return (step.target.block(), source, (row, column))


def _shape_first(step: Step) -> tuple[Value, ...]:
    return (_shape(step), *step.operands)


def _shape_last(step: Step) -> tuple[Value, ...]:
    return (*step.operands, _shape(step))


def _into_memory(step: Step) -> tuple[Value, ...]:
    return (*step.operands, *step.memory)


def _last_axes(step: Step) -> tuple[Value, ...]:
    return (step.operands[0], 0, 1)


def _compared(step: Step) -> Mapping[str, object]:
    return {"cmp_type": COMPARISONS.index(step.word("cmpMode", "eq"))}


def _rounded(step: Step) -> Mapping[str, object]:
    word = step.word("rmode", "ROUND").removeprefix("CAST_")
    return {"target_type": step.target.kind.dtype, "mode": ROUNDINGS.index(word)}


def _padded(step: Step) -> Mapping[str, object]:
    return {"pad_value": PadValue(step.target.kind.pad)}


def _descending(step: Step) -> Mapping[str, object]:
    return {"descending": step.instruction.attributes.get("descending", False)}


def _triangle(step: Step) -> Mapping[str, object]:
    return {"upper": bool(step.number("upperOrLower"))}


def _masked(step: Step) -> Mapping[str, object]:
    return {"mask_pattern": MASKS.index(step.word("maskPattern")) + 1}


def _picked_by_comparison(step: Step) -> Mapping[str, object]:
    mode = COMPARISONS.index(step.word("cmpMode", "eq"))
    return {"cmp_mode": mode, "offset": step.number("offset"), "out_cols": _shape(step)[1]}


def _exhausted(step: Step) -> Mapping[str, object]:
    return {"exhausted": step.instruction.attributes.get("exhausted", False)}


def _coalesced(step: Step) -> Mapping[str, object]:
    outside = OUTSIDE.index(step.word("gatherOob", OUTSIDE[0]))
    return {"coalesce": int(step.word("coalesce", "row") == "elem"), "gather_oob": outside}


def _gathered(instruction: Operation) -> Meaning:
    """By a pattern of columns, by comparison, or by index: the attributes tell."""
    if "maskPattern" in instruction.attributes:
        return Meaning("tile.gather_mask", attributes=_masked)
    if "cmpMode" in instruction.attributes:
        return Meaning("tile.gather_compare", attributes=_picked_by_comparison)
    return Meaning("tile.gather")


def _scattered(instruction: Operation) -> Meaning:
    if "maskPattern" in instruction.attributes:
        return Meaning("tile.scatter_mask", _into_target, _masked)
    return Meaning("tile.scatter", _into_target)


def _merged(instruction: Operation) -> Meaning:
    """Lists that are merged have a second destination; runs in one tile have none."""
    if len(instruction.destinations) > 1:
        return Meaning("tile.mrgsort_format2", attributes=_exhausted)
    return Meaning("tile.mrgsort_format1")


_CHOSEN: Final[Mapping[str, Callable[[Operation], Meaning]]] = {
    "pto.tgather": _gathered,
    "pto.tscatter": _scattered,
    "pto.tmrgsort": _merged,
}

# Instructions whose operands are the arguments of an operation, in order.
_SAME: Final = {
    **{
        f"pto.t{name}": f"tile.{name}"
        for name in (
            *("add", "sub", "mul", "div", "rem", "fmod", "and", "or", "xor", "shl", "shr", "addc", "subc", "prelu"),
            *("adds", "subs", "muls", "divs", "rems", "fmods", "ands", "ors", "xors", "shls", "shrs", "addsc", "subsc"),
            *("abs", "exp", "sqrt", "rsqrt", "neg", "not", "relu", "log", "recip", "lrelu", "sel", "sels", "concat"),
            *("gemv", "matmul", "sort32", "gatherb"),
        )
    },
    **{
        f"pto.t{axis}{fold}": f"tile.{axis}_{fold}"
        for axis in ("row", "col")
        for fold in ("sum", "max", "min", "prod", "argmax", "argmin")
    },
    **{
        f"pto.t{axis}expand{name}": f"tile.{axis}_expand_{name}"
        for axis in ("row", "col")
        for name in ("add", "sub", "mul", "div", "max", "min", "expdif")
    },
    **{f"pto.tpart{name}": f"tile.part_{name}" for name in ("add", "mul", "max", "min")},
    "pto.tmax": "tile.maximum",
    "pto.tmin": "tile.minimum",
    "pto.tmaxs": "tile.maximums",
    "pto.tmins": "tile.minimums",
    "pto.tmov": "tile.move",
    "pto.tmatmul.acc": "tile.matmul_acc",
    "pto.tmatmul.bias": "tile.matmul_bias",
    "pto.tmatmul.mx": "tile.matmul_mx",
    "pto.tmatmul.mx.acc": "tile.matmul_mx_acc",
    "pto.tmatmul.mx.bias": "tile.matmul_mx_bias",
    "pto.tgemv.acc": "tile.gemv_acc",
    "pto.tgemv.bias": "tile.gemv_bias",
}

MEANINGS: Final[Mapping[str, Meaning]] = {
    **{mnemonic: Meaning(operation) for mnemonic, operation in _SAME.items()},
    "pto.tcmp": Meaning("tile.cmp", attributes=_compared),
    "pto.tcmps": Meaning("tile.cmps", attributes=_compared),
    "pto.tcvt": Meaning("tile.cast", attributes=_rounded),
    "pto.texpands": Meaning("tile.full", _shape_first),
    "pto.trowexpand": Meaning("tile.row_expand", _into_target),
    "pto.tcolexpand": Meaning("tile.col_expand", _into_target),
    "pto.tfillpad": Meaning("tile.fillpad", attributes=_padded),
    "pto.tfillpad_expand": Meaning("tile.fillpad_expand", _shape_last, _padded),
    "pto.tci": Meaning("tile.ci", _shape_last, _descending),
    "pto.ttri": Meaning("tile.tri", _shape_last, _triangle),
    "pto.trandom": Meaning("tile.random", _shape_last),
    "pto.ttrans": Meaning("tile.transpose", _last_axes),
    "pto.textract": Meaning("tile.extract", _shape_last),
    "pto.tinsert": Meaning("tile.assemble", _at_offsets),
    "pto.mgather": Meaning("tile.mgather", attributes=_coalesced),
    "pto.mscatter": Meaning("tile.mscatter", _into_memory),
}


def meaning_of(instruction: Operation) -> Meaning | None:
    """What an instruction stands for; None for one without semantics here."""
    chosen = _CHOSEN.get(instruction.name)
    return chosen(instruction) if chosen is not None else MEANINGS.get(instruction.name)
