# SPDX-License-Identifier: Apache-2.0
"""Which calls of a function may pass windows.

A call must not write the same elements again in another round of a loop that carries the tensor, and no other call may
write the tensor as a whole: the order of the two would not be seen any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from pypto_build.analysis.returned_params import ReturnedParams
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MakeTuple,
    ParamDirection,
    Submit,
    TensorType,
    Var,
    Visitor,
    WhileStmt,
    same_value,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callee, Callees
from pypto_passes.affine_offsets import Affine, AffineForms
from pypto_passes.call_results import handed_back
from pypto_passes.kernel_windows import Box, KernelWindows
from pypto_passes.tensor_flows import TensorFlows
from pypto_passes.tensor_uses import TensorUses

Loops = tuple[ForStmt | WhileStmt, ...]


@dataclass(frozen=True, slots=True)
class Site:
    """A call that passes windows: which parameter each result is, and the offset of the window for each parameter."""

    windows: KernelWindows
    returned: ReturnedParams
    offsets: Mapping[int, MakeTuple]


class WindowSites:
    """The calls of one function that pass windows."""

    def __init__(
        self, function: Function, callees: Callees, windows: Mapping[str, KernelWindows], ops: OpRegistry
    ) -> None:
        self._callees = callees
        self._flows = TensorFlows(function, ops, handed_back(callees))
        self._uses = TensorUses(function, self._flows)
        self._forms = AffineForms(function)
        self._found = _Calls(function)
        self.chosen: dict[Call | Submit, Site] = {}
        for call, loops in self._found.bound.items():
            site = self._site(call, loops, windows.get(call.op.name))
            if site is not None:
                self.chosen[call] = site
        self._drop_mixed()

    # -- one call ------------------------------------------------------------------------------------------------------

    def _site(self, call: Call | Submit, loops: Loops, windows: KernelWindows | None) -> Site | None:
        callee = self._callees.of(call.op)
        if windows is None or callee is None or (isinstance(call, Submit) and not windows.outputs):
            return None
        returned = cast("ReturnedParams | None", callee.summary) or ()
        told_once = all(returned.count(index) == 1 for index in windows.outputs)
        if len(returned) != len(callee.after.return_types) or not told_once:
            return None
        if not all(self._fits(call, callee, index) for index in windows.boxes):
            return None
        groups = [self._uses.group(call.args[index]) for index in windows.outputs]
        if len({*groups}) != len(groups):
            return None
        params = dict(zip(callee.after.params, call.args, strict=False))
        for index in windows.outputs:
            if not self._apart(windows.boxes[index], params, self._carrying(loops, call.args[index])):
                return None
        offsets = {
            index: MakeTuple(tuple(place.expr(params) for place in box.base)) for index, box in windows.boxes.items()
        }
        return Site(windows, returned, offsets)

    def _fits(self, call: Call | Submit, callee: Callee, index: int) -> bool:
        """Whether the argument is a tensor of its own name, as the kernel expects it."""
        arg = call.args[index] if index < len(call.args) else None
        have, want = (arg.type if arg is not None else None), callee.after.params[index].type
        alike = isinstance(have, TensorType) and isinstance(want, TensorType) and same_value(have.shape, want.shape)
        return alike and isinstance(arg, Var) and arg not in self._found.merged

    def _carrying(self, loops: Loops, tensor: Expr) -> list[ForStmt | WhileStmt]:
        """The loops that hand the tensor from one round to the next."""
        origins = self._flows.origins([tensor]) if isinstance(tensor, Var) else set[Var]()
        return [loop for loop in loops if any(arg in origins for arg in loop.iter_args)]

    def _apart(self, box: Box, params: Mapping[Var, Expr], loops: list[ForStmt | WhileStmt]) -> bool:
        """Whether the box is another one in every round of some loops, and never overlaps with one of before."""
        waiting = {loop.loop_var: loop for loop in loops if isinstance(loop, ForStmt)}
        if len(waiting) != len(loops):
            return False
        for place, extent in zip(box.base, box.shape, strict=True):
            form = self._substituted(place, params)
            if form is None:
                return not loops
            moving = [(abs(form.factor(var)), self._forms.rounds[var], var) for var in waiting if form.factor(var)]
            if _never_overlap(extent, moving):
                for _, _, var in moving:
                    del waiting[var]
        return not waiting

    def _substituted(self, place: Affine, params: Mapping[Var, Expr]) -> Affine | None:
        total = Affine((), place.constant)
        for var, factor in place.terms:
            value = self._forms.of(params[var]) if var in params else None
            if value is None:
                return None
            total += value.scaled(factor)
        return total

    # -- all calls -----------------------------------------------------------------------------------------------------

    def _drop_mixed(self) -> None:
        """Calls whose tensors are also written as a whole, until none is left."""
        writers: dict[Expr, list[Call | Submit]] = {}
        for call, site in self.chosen.items():
            for index in site.windows.outputs:
                writers.setdefault(self._uses.group(call.args[index]), []).append(call)
        waiting = [group for call in self._found.all for group in self._written_whole(call)]
        while waiting:
            for call in writers.pop(waiting.pop(), ()):
                if self.chosen.pop(call, None) is not None:
                    waiting += self._written_whole(call)

    def _written_whole(self, call: Call | Submit) -> Iterable[Expr]:
        callee = self._callees.of(call.op)
        site = self.chosen.get(call)
        if callee is None:
            return
        for index, (arg, direction) in enumerate(zip(call.args, callee.after.param_directions, strict=False)):
            windowed = site is not None and index in site.windows.outputs
            if direction is not ParamDirection.In and not windowed:
                yield self._uses.group(arg)


def _never_overlap(extent: int, moving: list[tuple[int, int | None, Var]]) -> bool:
    """Whether places that move by a stride per round of some loops are never nearer than an extent to each other."""
    reach = extent
    for stride, rounds, _ in sorted(moving, key=lambda move: move[0]):
        if reach < 0 or stride < reach:
            return False
        reach = stride * rounds if rounds is not None else -1
    return bool(moving)


class _Calls(Visitor):
    """The calls of a function. bound: those whose result has a name, with the loops around; merged: what loops and
    branches yield."""

    def __init__(self, function: Function) -> None:
        self._loops: Loops = ()
        self.bound: dict[Call | Submit, Loops] = {}
        self.all: list[Call | Submit] = []
        self.merged: set[Expr] = set()
        self.visit(function.body)

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        if isinstance(stmt.value, Call | Submit):
            self.bound[stmt.value] = self._loops
        self.visit(stmt.value)

    def visit_call(self, call: Call) -> None:
        self.all.append(call)

    def visit_submit(self, call: Submit) -> None:
        self.all.append(call)

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        self._inside(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        self._inside(stmt)

    def _inside(self, stmt: ForStmt | WhileStmt) -> None:
        outer, self._loops = self._loops, (*self._loops, stmt)
        self.merged.update(stmt.return_vars)
        self.visit_node(stmt)
        self._loops = outer

    def visit_if_stmt(self, stmt: IfStmt) -> None:
        self.merged.update(stmt.return_vars)
        self.visit_node(stmt)
