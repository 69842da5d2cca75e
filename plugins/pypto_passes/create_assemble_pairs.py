# SPDX-License-Identifier: Apache-2.0
"""Which created tensors are only a detour into a window of another tensor.

Such a tensor is created and assembled once, in one body. From its creation on nothing else may look at the window's
tensor, since the window is written earlier than before; and behind the assembly nothing may look at the created one,
which would not be a copy any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    AtomicType,
    Call,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    MakeTuple,
    ScopeStmt,
    Stmt,
    Submit,
    TensorLayout,
    TensorType,
    Var,
    WhileStmt,
    const_index,
    statements,
    used_vars,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.arithmetic import plus
from pypto_build.ops.proof import provably_at_most
from pypto_build.passes import Callees
from pypto_passes.call_results import result_argument
from pypto_passes.tensor_flows import TensorFlows
from pypto_passes.tensor_uses import TensorUses

_IN_PLACE = frozenset({"tensor.assemble", "tensor.slice", "tensor.read", "tensor.write", "tensor.dim"})
"""Operations that work on a window of another tensor as on a tensor of its own."""
_MOST_BETWEEN = 64  # each is compared with each, so that very many windows filled side by side would take long


@dataclass(frozen=True, slots=True)
class Window:
    """Part of a tensor; offset and shape have the tensor's rank."""

    target: Var
    shape: tuple[Expr, ...]
    offset: MakeTuple

    def apart(self, other: Window) -> bool:
        """Whether the two are provably disjoint, in tensors of one rank."""
        axes = zip(self.offset.elements, self.shape, other.offset.elements, other.shape, strict=False)
        return any(provably_at_most(plus(a, m), b) or provably_at_most(plus(b, n), a) for a, m, b, n in axes)


@dataclass(slots=True)
class Pairs:
    """What is fused: created tensors by the window that they become, and Vars that name something else from now on.

    Assemblies that go are in `names` with their target; so are carries and results of loops that only handed it on.
    """

    windows: dict[Var, Window] = field(default_factory=dict[Var, Window])
    names: dict[Var, Expr] = field(default_factory=dict[Var, Expr])

    def resolved(self, value: Expr) -> Expr:
        """What a value is called after the fusion."""
        while isinstance(value, Var) and value in self.names:
            value = self.names[value]
        return value


def create_assemble_pairs(function: Function, callees: Callees, ops: OpRegistry) -> Pairs:
    """The pairs of a function that can be fused; a callee's summary is which parameter it hands back per result."""
    argument = result_argument(callees)

    def same_buffer(call: Call | Submit, index: int) -> int | None:
        return 0 if call.op.name == "tensor.assemble" else argument(call, index)

    flows = TensorFlows(function, ops, same_buffer)
    creates = [var for var, call in flows.definitions.items() if call.op.name == "tensor.create"]
    if not creates or not any(call.op.name == "tensor.assemble" for call in flows.calls):
        return Pairs()
    return _Finder(function, flows, creates).pairs


class _Finder:
    def __init__(self, function: Function, flows: TensorFlows, creates: list[Var]) -> None:
        self._flows = flows
        self._uses = TensorUses(function, flows)
        self._created = {self._uses.group(var): var for var in creates if self._uses.origins(var) == 1}
        self._fused: dict[tuple[int, int], Window] = {}  # the assemblies that go, by their places
        self.pairs = Pairs()
        self._walk(function.body)

    def _walk(self, body: Stmt | None) -> None:
        for index, stmt in enumerate(statements(body)):
            match stmt:
                case AssignStmt(var, Call() as call) if call.op.name == "tensor.assemble":
                    self._assembly(var, call, at=(id(body), index))
                case ForStmt() | WhileStmt():
                    self._walk(stmt.body)
                    self._drop_carries(stmt)
                case IfStmt():
                    self._walk(stmt.then_body)
                    self._walk(stmt.else_body)
                case ScopeStmt():
                    self._walk(stmt.body)
                case _:
                    pass

    def _assembly(self, var: Var, call: Call, *, at: tuple[int, int]) -> None:
        source, offset = call.args[1], call.args[2]
        created = self._created.get(self._uses.group(source)) if isinstance(source, Var) else None
        target = self.pairs.resolved(call.args[0])
        if created is None or not isinstance(target, Var) or not isinstance(offset, MakeTuple):
            return
        window = _window(created, target, offset)
        if window is None or call.kwargs.get("atomic", AtomicType.None_) != AtomicType.None_:
            return
        if self._plain(created) and self._once(created) and self._in_order(created, window, call.args[0], at=at):
            self.pairs.windows[created] = window
            self.pairs.names[var] = target
            self._fused[at] = window

    def _plain(self, created: Var) -> bool:
        """Whether everything that is done with the created tensor can be done with a window."""
        made = self._flows.definitions[created]
        if "init_value" in made.kwargs or made.kwargs.get("layout", TensorLayout.ND) is not TensorLayout.ND:
            return False
        operations = self._uses.operations(self._uses.group(created))
        return all(isinstance(call.op, GlobalVar) or call.op.name in _IN_PLACE for call in operations)

    def _once(self, created: Var) -> bool:
        group = self._uses.group(created)
        assembled = [
            call
            for call in self._uses.operations(group)
            if call.op.name == "tensor.assemble" and self._uses.is_in(call.args[1], group)
        ]
        return len(assembled) == 1 and not self._uses.is_in(assembled[0].args[0], group)

    def _in_order(self, created: Var, window: Window, target: Expr, *, at: tuple[int, int]) -> bool:
        """Whether the window can be taken where the tensor is created, with nobody looking at either in between."""
        body, end = at
        place = self._uses.places.get(created)
        if place is None or place[0] != body or place[1] >= end:
            return False
        start = place[1]
        needed = (window.target, *used_vars(window.offset))
        if any(self._uses.is_bound_behind(var, place) for var in needed):
            return False
        between = self._uses.between(self._uses.group(target), body, start, end)
        if len(between) > _MOST_BETWEEN or self._uses.after(self._uses.group(created), body, end):
            return False
        others = [self._fused.get((body, index)) for index in between]
        return all(other is not None and window.apart(other) for other in others)

    def _drop_carries(self, loop: ForStmt | WhileStmt) -> None:
        """A carry that is handed on as it came, because its assembly is gone, is what it started from."""
        yielded = yielded_values(loop.body)
        for arg, var, value in zip(loop.iter_args, loop.return_vars, yielded, strict=False):
            if value is not arg and self.pairs.resolved(value) is arg:
                self.pairs.names[arg] = arg.init_value
                self.pairs.names[var] = arg.init_value


def _window(created: Var, target: Var, offset: MakeTuple) -> Window | None:
    """The window that a created tensor becomes; a tensor of fewer axes has one element along the leading ones."""
    have, want = created.type, target.type
    if not isinstance(have, TensorType) or not isinstance(want, TensorType) or have.dtype is not want.dtype:
        return None
    view = want.tensor_view
    missing = len(offset.elements) - len(have.shape)
    if missing < 0 or len(offset.elements) != len(want.shape) or (view and view.layout is not TensorLayout.ND):
        return None
    return Window(target, (*(const_index(1),) * missing, *have.shape), offset)
