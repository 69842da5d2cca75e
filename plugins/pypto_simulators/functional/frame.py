# SPDX-License-Identifier: Apache-2.0
"""One activation of a function: its variables, where it runs, and the extents that its types speak of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pypto_build.errors import UserError
from pypto_build.ir import ConstInt, Expr, Function, ShapedType, TensorType, TileType, Var
from pypto_simulators.functional.crossing import Team
from pypto_simulators.functional.values import Shape, Value

if TYPE_CHECKING:
    from pypto_simulators.functional.machine import Machine
    from pypto_simulators.functional.memory import OnChipMemory
    from pypto_simulators.functional.scheduler import Core


@dataclass(frozen=True, slots=True)
class Launch:
    """Which of the blocks of a launch this is, on which vector core of it, and with which other cores it works."""

    block: int = 0
    blocks: int = 1
    lane: int = 0
    lanes: int = 1
    team: Team = field(default_factory=Team)


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of one activation; `started` are the cores that it let begin and has not waited for."""

    machine: Machine
    function: Function
    launch: Launch
    values: dict[Var, Value] = field(default_factory=dict[Var, Value])
    memory: OnChipMemory | None = None
    started: list[Core] = field(default_factory=list["Core"])

    def fork(self, launch: Launch) -> Frame:
        """The same variables, for another core that executes the same statements."""
        return Frame(self.machine, self.function, launch, dict(self.values), self.memory)

    def extents(self, dims: tuple[Expr, ...]) -> Shape:
        """The numbers behind a shape.

        Raises:
            UserError: one of them depends on a variable that has no value here.
        """
        evaluate = self.machine.evaluate
        return tuple(d.value if type(d) is ConstInt else int(evaluate(self, d)) for d in dims)

    def shape_of(self, kind: ShapedType) -> Shape:
        """The shape that a type states; the type is remembered where all extents are constants."""
        known = self.machine.shapes.get(id(kind))
        if known is not None:
            return known[1]
        shape = self.extents(kind.shape)
        if all(type(d) is ConstInt for d in kind.shape):
            self.machine.shapes[id(kind)] = (kind, shape)
        return shape

    def known_shape_of(self, kind: ShapedType) -> Shape | None:
        """The same, None where it depends on something that has no value here."""
        try:
            return self.shape_of(kind)
        except UserError:
            return None

    def valid_of(self, kind: TensorType | TileType) -> Shape | None:
        """The valid region that a type states; None where it states none, or one that has no value here."""
        view = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view
        if view is None or not view.valid_shape:
            return None
        try:
            return self.extents(view.valid_shape)
        except UserError:
            return None
