# SPDX-License-Identifier: Apache-2.0
"""The windows that a kernel cuts out of its tiles: where each starts in the tile that has the memory, and how it lies.

A window is a look at the memory of that tile. An instruction that reads a window reads at its address, so the address
must be aligned, and one that copies the window first copies it onto itself, so it must lie there without gaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.residue import Residue
from pypto_build.analysis.statement_walk import nested_statements
from pypto_build.errors import Span
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    ForStmt,
    Function,
    MakeTuple,
    MemorySpace,
    ScalarType,
    TileType,
    Var,
    as_int,
    dtype_of,
)
from pypto_build.ir.scalar import cast_to
from pypto_build.ops import OpRegistry
from pypto_build.ops.arithmetic import ZERO, plus

ALIGNED_BYTES = 32
"""What the address of an operand of a vector instruction is a multiple of."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window of a tile.

    base is the tile that has the memory, row and column count from its origin. plain is False where some slice of the
    chain says more than a place, such as a valid region. aligned says whether its address is known to be aligned.
    """

    base: Var
    row: Expr
    column: Expr
    kind: TileType
    plain: bool
    aligned: bool

    @property
    def space(self) -> MemorySpace | None:
        """The memory that the window is in."""
        return self.kind.memory_space

    @property
    def base_shape(self) -> tuple[int | None, int | None]:
        """Rows and columns of the tile."""
        kind = self.base.type
        assert isinstance(kind, TileType)
        return as_int(kind.shape[0]), as_int(kind.shape[1])

    @property
    def shape(self) -> tuple[int | None, int | None]:
        """Rows and columns of the window."""
        return as_int(self.kind.shape[0]), as_int(self.kind.shape[1])

    @property
    def dense(self) -> bool:
        """Whether its elements follow each other in memory."""
        rows, columns = self.shape
        return rows == 1 or columns == self.base_shape[1]

    @property
    def copies_onto_itself(self) -> bool:
        """Whether its elements, packed at its address, are where they are."""
        return self.dense and as_int(self.row) is not None and as_int(self.column) is not None


def tile_windows(function: Function) -> dict[Var, Window]:
    """The windows by the variables that name them, other names for a window included."""
    finder = _Finder()
    for stmt in nested_statements(function.body):
        if isinstance(stmt, ForStmt):
            finder.loop(stmt)
        elif isinstance(stmt, AssignStmt):
            finder.assign(stmt)
    return finder.found


class _Finder:
    """Reads the statements in order and keeps what is known of the scalars."""

    def __init__(self) -> None:
        self.found: dict[Var, Window] = {}
        self._bounds = Bounds()
        self._constants: dict[Expr, Expr] = {}

    def loop(self, stmt: ForStmt) -> None:
        """A loop variable is the start plus some steps."""
        start, step = self._bounds.residue(stmt.start), self._bounds.residue(stmt.step)
        self._bounds.leave(stmt.loop_var, start.plus(Residue(1).product(step)))

    def assign(self, stmt: AssignStmt) -> None:
        """A scalar is known by its value, a window by its tile."""
        value = stmt.value
        if isinstance(stmt.var.type, ScalarType) and stmt.var.type.dtype.is_int():
            self._bounds.leave(stmt.var, self._bounds.residue(value))
            constant = self._constants.get(value, value)
            if isinstance(constant, ConstInt):
                self._constants[stmt.var] = constant
        elif isinstance(value, Var) and value in self.found:
            self._name(stmt.var, self.found[value])
        elif isinstance(value, Call) and value.op.name == "tile.slice":
            self._slice(stmt.var, value)

    def _name(self, var: Var, window: Window) -> None:
        """Another name for a window; what vector instructions cannot read in place is copied where it gets one."""
        if window.aligned or window.space is not MemorySpace.Vec:
            self.found[var] = window

    def _slice(self, var: Var, call: Call) -> None:
        source, offsets, kind = call.args[0], call.args[2], var.type
        if not isinstance(source, Var) or not isinstance(offsets, MakeTuple) or not isinstance(kind, TileType):
            return
        if not isinstance(source.type, TileType) or not len(offsets.elements) == len(source.type.shape) == 2:
            return
        row, column = (self._constants.get(offset, offset) for offset in offsets.elements)
        outer = self.found.get(source)
        plain = not call.args[3:]
        base = source if outer is None else outer.base
        if outer is not None:
            row, column, plain = plus(outer.row, row), plus(outer.column, column), plain and outer.plain
        self.found[var] = Window(base, row, column, kind, plain, self._is_aligned(base, row, column))

    def _is_aligned(self, base: Var, row: Expr, column: Expr) -> bool:
        kind = base.type
        assert isinstance(kind, TileType)
        columns = as_int(kind.shape[1])
        start = as_int(ZERO if kind.memref is None else kind.memref.byte_offset)
        if columns is None or start is None:
            return False
        elements = self._bounds.residue(row).times(columns).plus(self._bounds.residue(column))
        return elements.times(kind.dtype.get_bit()).plus(Residue(0, 8 * start)).modulo(8 * ALIGNED_BYTES) == 0


def extraction(
    ops: OpRegistry, window: Window, target: MemorySpace, *, visit: Callable[[Expr], Expr], span: Span
) -> Call:
    """The call that copies a window into a buffer of its own; `visit` says what its parts have become."""
    place = (as_index(visit(one)) for one in (window.row, window.column))
    args = (visit(window.base), *place, MakeTuple(window.kind.shape, span))
    return ops.create_call("tile.extract", args, {"target_memory": target}, span)


def as_index(value: Expr) -> Expr:
    """A row or column as an extract takes it, which knows no narrower integers."""
    return value if dtype_of(value).get_bit() == DataType.INDEX.get_bit() else cast_to(value, DataType.INDEX)
