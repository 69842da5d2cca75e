# SPDX-License-Identifier: Apache-2.0
"""Which part of its tensors a kernel touches, where that is one box whose place only depends on its parameters.

An output counts if a single store writes it, once or box by box in loops that fill one larger box without gap or
overlap. An input counts, where all outputs do, if every load reads the same box; or, beside an output that is filled in
a loop, if the loop reads all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product as every
from math import prod

from pypto_build.ir import (
    Call,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IfStmt,
    MakeTuple,
    ParamDirection,
    TensorType,
    TileType,
    Var,
    Visitor,
    WhileStmt,
    as_int,
    same_value,
)
from pypto_build.ops import OpRegistry
from pypto_passes.affine_offsets import Affine, AffineForms, places
from pypto_passes.tensor_flows import TensorFlows, reused_argument
from pypto_passes.tensor_uses import TensorUses

_KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)
_MOST_BOXES = 4096
_MOST_ELEMENTS = 2**63 - 1
ATTRIBUTE = "windowize"


@dataclass(frozen=True, slots=True)
class Box:
    """Part of a parameter: its place as sums of the kernel's parameters, and its shape. `looped`: built in a loop."""

    base: tuple[Affine, ...]
    shape: tuple[int, ...]
    looped: bool

    def is_all_of(self, shape: Sequence[int] | None) -> bool:
        """Whether it is the whole of a tensor of a shape."""
        return shape == self.shape and not any(place.terms or place.constant for place in self.base)


@dataclass(frozen=True, slots=True)
class KernelWindows:
    """The boxes of a kernel by the position of the parameter; `group` says which values are which parameter."""

    boxes: Mapping[int, Box]
    outputs: frozenset[int]
    owner: Mapping[Expr, int]
    forms: AffineForms


def kernel_windows(kernel: Function, ops: OpRegistry) -> KernelWindows | None:
    """The boxes of a kernel that asks for windows; None if it does not, or has none."""
    if kernel.func_type not in _KERNELS or kernel.attrs.get(ATTRIBUTE) is not True:
        return None
    finder = _Finder(kernel, ops)
    outputs = {i: finder.output(i) for i, given in enumerate(kernel.param_directions) if given is not ParamDirection.In}
    known = {i: box for i, box in outputs.items() if box is not None}
    filled = any(box.looped for box in known.values())
    inputs = {
        i: box
        for i, given in enumerate(kernel.param_directions)
        if given is ParamDirection.In and kernel.return_types and len(known) == len(outputs)
        if (box := finder.input(i, with_loops=filled)) is not None
    }
    boxes = {i: box for i, box in {**inputs, **known}.items() if not box.is_all_of(static_shape(kernel.params[i]))}
    return KernelWindows(boxes, frozenset(boxes.keys() & known.keys()), finder.owner, finder.forms) if boxes else None


class _Finder:
    def __init__(self, kernel: Function, ops: OpRegistry) -> None:
        self._kernel = kernel
        self._flows = TensorFlows(kernel, ops, reused_argument(ops))
        self._uses = TensorUses(kernel, self._flows)
        self._guarded = _Guarded(kernel).calls
        self.forms = AffineForms(kernel)
        self.owner: dict[Expr, int] = {}
        for index, param in enumerate(kernel.params):
            for member in self._flows.reached([param]):
                self.owner[member] = -1 if member in self.owner else index  # -1: of several

    def output(self, index: int) -> Box | None:
        """The box that an output is written in."""
        calls = self._accesses(index)
        if self._kernel.param_directions[index] is not ParamDirection.Out or len(calls) != 1:
            return None
        if calls[0].op.name != "tile.store" or calls[0].kwargs.get("atomic"):
            return None
        tile = calls[0].args[0].type
        shape = _numbers(tile.shape) if isinstance(tile, TileType) else None
        whole = isinstance(tile, TileType) and (tile.tile_view is None or not tile.tile_view.valid_shape)
        if shape is None or not whole:
            return None
        return self._box(index, [(calls[0].args[1], shape)])

    def input(self, index: int, *, with_loops: bool) -> Box | None:
        """The box that an input is read in."""
        param, calls = self._kernel.params[index], self._accesses(index)
        if param in self._flows.returned or param in self._flows.targets or not calls:
            return None
        boxes: list[tuple[Expr, tuple[int, ...]]] = []
        for call in calls:
            offset, extents, *valid = call.args[1:] if call.op.name == "tile.load" else (None, None)
            shape = _numbers(extents.elements) if isinstance(extents, MakeTuple) else None
            if shape is None or offset is None or not all(same_value(extents, region) for region in valid):
                return None
            boxes.append((offset, shape))
        box = self._box(index, boxes)
        if box is None or (box.looped and not (with_loops and box.shape == static_shape(param))):
            return None
        return box

    def _accesses(self, index: int) -> list[Call]:
        """The operations on a parameter; nothing if one is guarded by a condition or by another kind of call."""
        param = self._kernel.params[index]
        if any(owner == -1 for member, owner in self.owner.items() if member in self._flows.reached([param])):
            return []
        calls = self._uses.operations(self._uses.group(param))
        plain = [call for call in calls if isinstance(call, Call) and call not in self._guarded]
        return plain if len(plain) == len(calls) else []

    def _box(self, index: int, parts: list[tuple[Expr, tuple[int, ...]]]) -> Box | None:
        """The box that some parts fill exactly."""
        parent = static_shape(self._kernel.params[index])
        placed = [(self._place(offset), shape) for offset, shape in parts]
        first, shape = placed[0]
        if first is None or parent is None or len(shape) != len(parent) or len(first) != len(shape):
            return None
        offsets: set[tuple[int, ...]] = set()
        count = 0
        for place, own in placed:
            boxes = None if place is None or own != shape else self._offsets(place, first)
            if boxes is None:
                return None
            count += len(boxes)
            offsets |= boxes
        looped = any(True for place in first for _ in places(self.forms, place))
        low = tuple(min(offset[axis] for offset in offsets) for axis in range(len(shape)))
        size = _tiled(offsets, shape, low)
        if size is None or prod(size) > _MOST_ELEMENTS or any(n > most for n, most in zip(size, parent, strict=True)):
            return None
        base = tuple(
            Affine(place.without(self.forms.rounds).terms, least) for place, least in zip(first, low, strict=True)
        )
        return Box(base, size, looped)

    def _place(self, offset: Expr) -> tuple[Affine, ...] | None:
        if not isinstance(offset, MakeTuple):
            return None
        found = [self.forms.of(place) for place in offset.elements]
        given = set(self._kernel.params)
        known = [
            place
            for place in found
            if place is not None and all(var in given or var in self.forms.rounds for var, _ in place.terms)
        ]
        return tuple(known) if len(known) == len(found) else None

    def _offsets(self, place: tuple[Affine, ...], like: tuple[Affine, ...]) -> set[tuple[int, ...]] | None:
        """The constant parts of all offsets; None if the others differ from those of another place."""
        rounds = self.forms.rounds
        if not all(a.without(rounds).same_terms(b.without(rounds)) for a, b in zip(place, like, strict=True)):
            return None
        loops = {var: count for axis in place for var, _, count in places(self.forms, axis)}
        counts = [count for count in loops.values() if count is not None]
        if len(counts) != len(loops) or not 0 < prod(counts) <= _MOST_BOXES:
            return None
        found: list[tuple[int, ...]] = []
        for values in every(*(range(count) for count in counts)):
            at = dict(zip(loops, values, strict=True))
            found.append(tuple(a.constant + sum(f * at[v] for v, f in a.terms if v in at) for a in place))
        return set(found) if len(set(found)) == len(found) else None


class _Guarded(Visitor):
    """The calls that a condition may skip."""

    def __init__(self, kernel: Function) -> None:
        self._depth = 0
        self.calls: set[Expr] = set()
        self.visit(kernel.body)

    def visit_if_stmt(self, stmt: IfStmt) -> None:
        self._inside(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        self._inside(stmt)

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        self.visit_node(stmt)

    def _inside(self, stmt: IfStmt | WhileStmt) -> None:
        self._depth += 1
        self.visit_node(stmt)
        self._depth -= 1

    def visit_call(self, call: Call) -> None:
        if self._depth:
            self.calls.add(call)


def _tiled(offsets: set[tuple[int, ...]], shape: tuple[int, ...], low: tuple[int, ...]) -> tuple[int, ...] | None:
    """The size of the box that equal parts at some offsets fill exactly."""
    size = tuple(max(offset[axis] for offset in offsets) - low[axis] + extent for axis, extent in enumerate(shape))
    aligned = all((o - least) % n == 0 for offset in offsets for o, least, n in zip(offset, low, shape, strict=True))
    return size if aligned and prod(size) == prod(shape) * len(offsets) else None


def static_shape(param: Var) -> tuple[int, ...] | None:
    """The shape of a row-major tensor whose extents are constants."""
    kind = param.type
    if not isinstance(kind, TensorType) or (kind.tensor_view is not None and kind.tensor_view.valid_shape):
        return None
    return _numbers(kind.shape)


def _numbers(shape: Sequence[Expr]) -> tuple[int, ...] | None:
    found = [as_int(dim) for dim in shape]
    numbers = tuple(number for number in found if number is not None)
    return numbers if len(numbers) == len(found) and all(number > 0 for number in numbers) else None
