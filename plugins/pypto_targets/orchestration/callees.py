# SPDX-License-Identifier: Apache-2.0
"""What an orchestration function may launch: kernels with their numbers, and wrappers looked through.

A Group puts a cube kernel and vector kernels on the cores of one cluster, an Spmd function runs what it calls on many
cores at once; neither is code, so a launch of one is a launch of the kernels inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from pypto_build.analysis.returned_params import NO_PARAM, ReturnedParams, returned_params
from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    ArgDirection,
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    MemorySpace,
    ParamDirection,
    Program,
    ReturnStmt,
    Submit,
    TensorType,
    TileType,
    Type,
    Var,
    Visitor,
    collect,
    structural_equal,
)

KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)
WRAPPERS = (FunctionType.Group, FunctionType.Spmd)
_HELP = {
    FunctionType.Orchestration: "make it a Graph function, whose tasks are submitted where it is called",
    FunctionType.Graph: "put the pass inline_graph_functions into the pipeline",
}
DUAL = "dual_aiv_dispatch"  # the kernel runs on both vector cores of a cluster
_CUBE_SPACES = (MemorySpace.Left, MemorySpace.Right, MemorySpace.Acc, MemorySpace.Mat)
_DIRECTIONS = {ParamDirection.In: "IN", ParamDirection.Out: "OUT", ParamDirection.InOut: "INOUT"}


Passed = tuple[Expr, ArgDirection]
"""What a wrapper was given for a parameter."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of the program: its number, the cores it runs on, and the member with its text."""

    func_id: int
    function: Function
    core_type: str
    source: str

    @property
    def signature(self) -> tuple[str, ...]:
        """What the kernel does with each of its tensors."""
        return signature(self.function)


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch with wrappers looked through: kernels, arguments in the order of the kernel, and how many blocks."""

    kernels: tuple[Kernel, ...]
    args: tuple[Expr, ...]
    directions: tuple[ArgDirection, ...]
    core_num: object = None
    sync_start: bool = False


def signature(function: Function) -> tuple[str, ...]:
    """IN, OUT or INOUT for each tensor parameter."""
    pairs = zip(function.params, function.param_directions, strict=True)
    return tuple(_DIRECTIONS[direction] for param, direction in pairs if isinstance(param.type, TensorType))


class CalleeTable:
    """What one Orchestration function may launch, its kernels numbered in name order."""

    def __init__(self, program: Program, function: Function) -> None:
        self.functions = {function.name: function for function in program.functions.values()}
        groups = _groups(self.functions.values())
        self.kernels: dict[str, Kernel] = {}
        for number, name in enumerate(sorted(self._launched(function))):
            source = f"kernels/{groups.get(name, name)}.pto"
            function = self.functions[name]
            self.kernels[name] = Kernel(number, function, core_type(function), source)
        self._returned: dict[str, ReturnedParams | None] = {}

    def _launched(self, function: Function) -> set[str]:
        """The kernels that a function calls, directly or through wrappers."""
        kernels: set[str] = set()
        seen: set[str] = set()
        pending = [function]
        while pending:
            for call in _calls(pending.pop()):
                callee = self.functions.get(call.op.name)
                if callee is not None and callee.name not in seen:
                    seen.add(callee.name)
                    kernels |= {callee.name} if callee.func_type in KERNELS else set()
                    pending += [callee] if callee.func_type in WRAPPERS else []
        return kernels

    def get(self, call: Call | Submit) -> Function:
        """The function that is called."""
        function = self.functions.get(call.op.name)
        if function is None:
            raise UserError("ORCH005", f"the program has no function {call.op.name!r}", call.span)
        return function

    def launch(self, call: Call | Submit) -> Launch:
        """What a call launches."""
        given = cast("tuple[ArgDirection, ...]", call.attrs.get("arg_directions", ()))
        if len(given) != len(call.args):
            raise InternalError(f"call to {call.op.name} has no direction for each argument", call.span)
        launch = self._resolved(self.get(call), call, call.args, directions=given)
        if isinstance(call, Submit) and call.core_num is not None:
            launch = replace(launch, core_num=call.core_num, sync_start=call.sync_start)
        elif call.attrs.get("core_num") is not None:
            sync_start = bool(call.attrs.get("sync_start", False))
            launch = replace(launch, core_num=call.attrs["core_num"], sync_start=sync_start)
        return launch

    def _resolved(
        self, callee: Function, call: Call | Submit, args: tuple[Expr, ...], *, directions: tuple[ArgDirection, ...]
    ) -> Launch:
        if callee.func_type in KERNELS:
            return Launch((self.kernels[callee.name],), args, directions, _core_num(callee), _sync_start(callee))
        if callee.func_type not in WRAPPERS:
            text = f"an orchestration function cannot launch {callee.name!r}: it is {callee.func_type.name}"
            raise UserError("ORCH006", text, call.span, help=_HELP.get(callee.func_type, ""))
        known = dict(zip(callee.params, zip(args, directions, strict=True), strict=False))
        found: list[Launch] = []
        for inner, var in _launches(callee):
            found.append(self._inside(inner, known))
            if var is not None:
                known.update(self._written(inner, var, known))
        if not found:
            text = f"{callee.func_type.name} function {callee.name!r} launches nothing"
            raise UserError("ORCH007", text, callee.span)
        if any(not _same_args(launch, found[0]) for launch in found):
            text = f"the kernels of {callee.name!r} take different arguments; a cluster has one list for all"
            raise UserError("ORCH028", text, callee.span, help="give them the same parameters in the same order")
        kernels = tuple(kernel for launch in found for kernel in launch.kernels)
        core_num = _core_num(callee) if _core_num(callee) is not None else found[0].core_num
        sync_start = _sync_start(callee) or found[0].sync_start
        return Launch(kernels, found[0].args, found[0].directions, core_num, sync_start)

    def _written(self, call: Call | Submit, var: Var, known: Mapping[Var, Passed]) -> dict[Var, Passed]:
        """The result of a launch inside a wrapper is the argument that it was written into."""
        position = self.returned_position(call, 0)
        arg = call.args[position] if position is not None and position < len(call.args) else None
        return {var: known[arg]} if isinstance(arg, Var) and arg in known else {}

    def _inside(self, call: Call | Submit, outer: Mapping[Var, Passed]) -> Launch:
        """A launch inside a wrapper, its arguments in terms of the call of the wrapper."""
        own = cast("tuple[ArgDirection, ...]", call.attrs.get("arg_directions", ()))
        args: list[Expr] = []
        directions: list[ArgDirection] = []
        for index, arg in enumerate(call.args):
            known = outer.get(arg) if isinstance(arg, Var) else None
            if known is None and isinstance(arg, Var):
                raise UserError("ORCH008", f"a wrapper cannot compute the argument {arg.name_hint!r}", call.span)
            expr, direction = known if known is not None else (arg, ArgDirection.Scalar)
            reads = index < len(own) and own[index] is ArgDirection.Input
            args.append(expr)
            directions.append(ArgDirection.Input if reads and direction is not ArgDirection.NoDep else direction)
        return self._resolved(self.get(call), call, tuple(args), directions=tuple(directions))

    # -- results ---------------------------------------------------------------------------------------------------

    def returned_position(self, call: Call | Submit, index: int) -> int | None:
        """The parameter that a result is; None when the callee returns none of its parameters there."""
        name = call.op.name
        if name not in self._returned:
            self._returned[name] = self._returned_params(self.get(call))
        returned = self._returned[name]
        if returned is not None and index < len(returned) and returned[index] != NO_PARAM:
            return returned[index]
        outputs = [i for i, d in enumerate(self.get(call).param_directions) if d is not ParamDirection.In]
        return outputs[0] if len(outputs) == 1 and index == 0 else None

    def _returned_params(self, function: Function) -> ReturnedParams | None:
        """What the function's return says; a wrapper that hands on a call's results is asked for those."""
        own = returned_params(function)
        if own is not None and NO_PARAM not in own:
            return own
        return self._forwarded(function, own) if function.func_type in WRAPPERS else own

    def _forwarded(self, function: Function, own: ReturnedParams | None) -> ReturnedParams | None:
        positions = {param: index for index, param in enumerate(function.params)}
        for call in _calls(function):
            count = len(self.get(call).return_types)
            if count == len(function.return_types):
                found = [self.returned_position(call, index) for index in range(count)]
                args = [call.args[i] if i is not None and i < len(call.args) else None for i in found]
                return tuple(positions.get(arg, NO_PARAM) if isinstance(arg, Var) else NO_PARAM for arg in args)
        return own


def _groups(functions: Iterable[Function]) -> dict[str, str]:
    """For each member of a Group the Group, whose text holds it."""
    found: dict[str, str] = {}
    for function in functions:
        if function.func_type is FunctionType.Group:
            for call in _calls(function):
                found.setdefault(call.op.name, function.name)
    return found


def _calls(function: Function) -> list[Call | Submit]:
    return [call for call in collect(function.body, Call, Submit) if isinstance(call.op, GlobalVar)]


def _launches(function: Function) -> Iterator[tuple[Call | Submit, Var | None]]:
    """The launches of a wrapper in order, each with the variable of its results."""
    for stmt in collect(function.body, AssignStmt, EvalStmt, ReturnStmt):
        values = (
            stmt.value if isinstance(stmt, ReturnStmt) else (stmt.value if isinstance(stmt, AssignStmt) else stmt.expr,)
        )
        for value in values:
            if isinstance(value, Call | Submit) and isinstance(value.op, GlobalVar):
                yield value, stmt.var if isinstance(stmt, AssignStmt) else None


def _same_args(left: Launch, right: Launch) -> bool:
    return len(left.args) == len(right.args) and all(map(structural_equal, left.args, right.args))


def _core_num(function: Function) -> object:
    return function.attrs.get("core_num")


def _sync_start(function: Function) -> bool:
    return bool(function.attrs.get("sync_start", False))


def core_type(function: Function) -> str:
    """Where a kernel runs: it says so, or it uses memory that only the cube core has."""
    if function.func_type is not FunctionType.InCore:
        return "aic" if function.func_type is FunctionType.AIC else "aiv"
    seen = _Spaces()
    seen.visit(function.body)
    return "aic" if any(space in _CUBE_SPACES for space in seen.found) else "aiv"


class _Spaces(Visitor):
    def __init__(self) -> None:
        self.found: set[MemorySpace] = set()

    def visit_definition(self, var: Var) -> None:
        self._note(var.type)

    def _note(self, kind: Type) -> None:
        if isinstance(kind, TileType) and kind.memory_space is not None:
            self.found.add(kind.memory_space)
