# SPDX-License-Identifier: Apache-2.0
"""HardSyncallOccupancyValid: every core that a hardware barrier waits for is there, and all of them at once.

A hard `pl.system.syncall` waits for all cores of its kind. A launch that leaves one of them out, or that the runtime
may start in waves, never gets past it. A launch of unknown width is taken on trust, a kernel that nobody launches on
several cores is none of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    FunctionType,
    Program,
    Submit,
    Var,
    as_expr,
    as_int,
    collect,
)
from pypto_build.passes import HardwareDescription, PassContext

BARRIER = "system.syncall"
_WRAPPERS = (FunctionType.Group, FunctionType.Spmd)
_CORES = {FunctionType.AIC: "aic_only", FunctionType.AIV: "aiv_only"}
_CLUSTERS, _VECTORS = "system.available_cluster_count", "system.available_aiv_count"
_HELP = "launch on all of them with sync_start=True, or use pl.system.syncall(mode='soft', ...)"


def verify_hard_syncall_occupancy(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every launch on several cores that cannot get past a hard barrier of what it launches."""
    functions = {function.name: function for function in program.functions.values()}
    for function in functions.values():
        made = {stmt.var: stmt.value for stmt in collect(function.body, AssignStmt)}
        for call in collect(function.body, Call, Submit):
            callee = functions.get(call.op.name)
            width = _width(call, callee) if callee is not None else None
            if callee is None or width is None:
                continue
            kernels = tuple(_launched(callee, functions))
            launch = _Launch(call, _value(width, made), _synchronized(call, callee), kernels)
            yield from launch.problems(context.hardware)


@dataclass(frozen=True, slots=True)
class _Launch:
    """A launch: how many blocks (a number or a query), whether all start at once, and the kernels of a block."""

    call: Call | Submit
    width: Expr
    synchronized: bool
    kernels: tuple[Function, ...]

    def problems(self, chip: HardwareDescription) -> Iterator[Diagnostic]:
        """Why barriers are never passed, once for each kind of barrier."""
        kinds = {kernel.func_type for kernel in self.kernels}
        mixed = len(kinds) > 1
        for barrier, kernel in self._barriers().items():
            text = f"the hard pl.system.syncall(core_type='{barrier}') of '{kernel.name}' "
            if not mixed and kernel.attrs.get("dual_aiv_dispatch"):
                continue  # the vector half of a block whose other half is not in this program
            if not mixed and barrier != _CORES[kernel.func_type]:
                text += f"can never complete: only {kernel.func_type.name} cores are launched, all with this kernel"
                yield self._error(text)
                continue
            problem = self._problem(chip, clusters=mixed or kernel.func_type is FunctionType.AIC, mixed=mixed)
            if problem:
                yield self._error(f"{text}{problem}")

    def _barriers(self) -> dict[str, Function]:
        """The kinds of hard barriers, each with the first kernel that has it."""
        found: dict[str, Function] = {}
        for kernel in self.kernels:
            for call in collect(kernel.body, Call):
                if call.op.name == BARRIER and call.kwargs.get("mode", "hard") == "hard":
                    found.setdefault(str(call.kwargs.get("core_type", "mix")), kernel)
        return found

    def _problem(self, chip: HardwareDescription, *, clusters: bool, mixed: bool) -> str:
        right, wrong = (_CLUSTERS, _VECTORS) if clusters else (_VECTORS, _CLUSTERS)
        query = self.width.op.name if isinstance(self.width, Call) else ""
        count = as_int(self.width)
        wanted = chip.cube_cores if clusters else chip.vector_cores
        if query == wrong:
            return f"is launched on pl.{wrong}() blocks, which are not its cores: use pl.{right}()"
        if count is None and query != right:
            return ""
        if count is not None and count != wanted:
            cores = "core-groups" if mixed else f"{'AIC' if clusters else 'AIV'} cores"
            return f"waits for all of them: the launch must fill all {wanted} {cores}, but it has {count} blocks"
        return "" if self.synchronized else "waits for all blocks: the launch needs sync_start=True"

    def _error(self, text: str) -> Diagnostic:
        return Diagnostic("error", "HardSyncallOccupancy", text, self.call.span, help=_HELP)


def _launched(callee: Function, functions: Mapping[str, Function]) -> Iterator[Function]:
    """The kernels that a function is or starts, wrappers looked through."""
    seen = {callee.name}
    pending = [callee]
    while pending:
        function = pending.pop()
        if function.func_type in _CORES:
            yield function
        elif function.func_type in _WRAPPERS:
            names = [call.op.name for call in collect(function.body, Call, Submit)]
            pending += [functions[name] for name in dict.fromkeys(names) if name in functions and name not in seen]
            seen.update(names)


def _width(call: Call | Submit, callee: Function) -> object:
    """How many blocks are launched: what the launch says, else what the callee was written with."""
    if isinstance(call, Submit) and call.core_num is not None:
        return call.core_num
    width = call.attrs.get("core_num")
    return callee.attrs.get("core_num") if width is None else width


def _synchronized(call: Call | Submit, callee: Function) -> bool:
    if isinstance(call, Submit) and call.core_num is not None:
        return call.sync_start
    source = call.attrs if call.attrs.get("core_num") is not None else callee.attrs
    return bool(source.get("sync_start", False))


def _value(width: object, made: Mapping[Var, Expr]) -> Expr:
    """A width through the variables that carry it."""
    while isinstance(width, Var) and width in made:
        width = made[width]
    return width if isinstance(width, Expr) else as_expr(cast("int", width))
