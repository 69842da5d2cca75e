# SPDX-License-Identifier: Apache-2.0
"""Kernels whose result replaces one of their inputs write it into that input instead of into a tensor of its own.

The input must be nobody else's: it is used for this one call, and its buffer was made here. A buffer that comes from
outside of an orchestration function is the host's and is never overwritten. The kernel must have read the input before
it writes the result, and every call of the kernel must agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    IterArg,
    ParamDirection,
    Program,
    Rewriter,
    Stmt,
    Submit,
    Var,
    WhileStmt,
    collect,
    rebuilt,
    same_value,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callees
from pypto_passes.assembled_loops import UseCounts
from pypto_passes.call_results import callees_by_function, handed_back
from pypto_passes.tensor_flows import TensorFlows, reused_argument
from pypto_passes.tensor_uses import TensorUses

Merges = Mapping[int, int]
"""The output parameters that go, by position, each with the input parameter that it is merged into."""


def with_carried_outputs(program: Program, ops: OpRegistry) -> Program:
    """The program whose kernels write carried results in place; the same if there are none."""
    callees = callees_by_function(program, ops)
    callers = [_Caller(f, callees[f.name], ops) for f in program.functions.values() if not _is_kernel(f)]
    merges: dict[str, Merges] = {}
    for kernel in program.functions.values():
        if _is_kernel(kernel):
            found = _merges(kernel, callers, ops)
            if found:
                merges[kernel.name] = found
    if not merges:
        return program
    return program.with_functions(
        _merged_kernel(function, merges[function.name])
        if function.name in merges
        else _MergedCalls(merges).rewritten(function)
        for function in program.functions.values()
    )


def _is_kernel(function: Function) -> bool:
    return function.func_type is FunctionType.InCore


# -- kernels -----------------------------------------------------------------------------------------------------------


def _merges(kernel: Function, callers: Iterable[_Caller], ops: OpRegistry) -> Merges:
    """What all calls of a kernel agree on and its body allows."""
    sites = [(caller, site) for caller in callers for site in caller.sites.get(kernel.name, ())]
    outputs = [i for i, direction in enumerate(kernel.param_directions) if direction is ParamDirection.Out]
    if not sites or not outputs:
        return {}
    body = _Body(kernel, ops)
    agreed: dict[int, int] = {}
    for output in outputs:
        inputs = {caller.input_of(site, output, body) for caller, site in sites}
        position = inputs.pop() if len(inputs) == 1 else None
        if position is not None and position not in agreed.values() and body.reads_first(position, output):
            agreed[output] = position
    return agreed


class _Body:
    """What a kernel does with its parameters."""

    def __init__(self, kernel: Function, ops: OpRegistry) -> None:
        self._kernel = kernel
        self._flows = TensorFlows(kernel, ops, reused_argument(ops))
        self._uses = TensorUses(kernel, self._flows)

    def inputs_like(self, output: int) -> list[int]:
        """The inputs of the same type as an output."""
        kernel = self._kernel
        return [
            i
            for i, (param, direction) in enumerate(zip(kernel.params, kernel.param_directions, strict=True))
            if direction is ParamDirection.In and same_value(param.type, kernel.params[output].type)
        ]

    def reads_first(self, given: int, output: int) -> bool:
        """Whether the input is not used any more from the first use of the output on."""
        groups = [self._uses.group(self._kernel.params[position]) for position in (given, output)]
        body = id(self._kernel.body)
        reads, writes = (self._uses.between(group, body, -1, _END) for group in groups)
        return groups[0] is not groups[1] and bool(reads) and bool(writes) and reads[-1] < writes[0]

    def accumulates(self, given: int, output: int) -> bool:
        """Whether a loop starts from the input and its result is stored into the output."""
        source, target = self._kernel.params[given], self._kernel.params[output]
        loads = [v for v, c in self._flows.definitions.items() if c.op.name == "tile.load" and c.args[0] is source]
        reached = self._flows.reached(loads)
        stores = [c for c in self._flows.calls if c.op.name == "tile.store" and c.args[2] is target]
        return any(isinstance(var, IterArg) for var in reached) and any(c.args[0] in reached for c in stores)


_END = 1 << 60


def _merged_kernel(kernel: Function, merges: Merges) -> Function:
    names = {kernel.params[output]: kernel.params[given] for output, given in merges.items()}
    new = Rewriter(names).visit_body(kernel.body)
    kept = [i for i in range(len(kernel.params)) if i not in merges]
    changed = set(merges.values())
    directions = [ParamDirection.InOut if i in changed else kernel.param_directions[i] for i in kept]
    params = tuple(kernel.params[i] for i in kept)
    return rebuilt(kernel, {"body": new, "params": params, "param_directions": tuple(directions)})


# -- callers -----------------------------------------------------------------------------------------------------------


class _Caller:
    """What the calls of one function would have to allow."""

    def __init__(self, function: Function, callees: Callees, ops: OpRegistry) -> None:
        self.function = function
        self._flows = TensorFlows(function, ops, handed_back(callees))
        self._counts = UseCounts(function).of
        self.sites: dict[str, list[Call | Submit]] = {}
        for call in collect(function.body, Call, Submit):
            self.sites.setdefault(call.op.name, []).append(call)
        self._carries = _carries(function)

    def input_of(self, site: Call | Submit, output: int, body: _Body) -> int | None:
        """The input that an output of a call may be merged into."""
        made = site.args[output] if output < len(site.args) else None
        if not isinstance(made, Var) or not self._is_private_create(made) or site.attrs.get("arg_direction_overrides"):
            return None
        results = self._flows.targets.get(made, [])
        for position in body.inputs_like(output):
            given = site.args[position]
            if not isinstance(given, Var) or self._counts[given] != 1 or not same_value(given.type, made.type):
                continue
            if isinstance(given, IterArg):
                if self._is_fed_back(given, results) and self._is_private(given.init_value):
                    return position
            elif body.accumulates(position, output) and self._is_private(given):
                return position
        return None

    def _is_fed_back(self, carry: IterArg, results: list[Var]) -> bool:
        """Whether the only result is what the carry is in the next round, and nothing else."""
        return len(results) == 1 and self._carries.get(carry) is results[0] and self._counts[results[0]] == 1

    def _is_private_create(self, var: Var) -> bool:
        call = self._flows.definitions.get(var)
        return call is not None and call.op.name == "tensor.create" and self._counts[var] == 1

    def _is_private(self, value: Expr) -> bool:
        """Whether the buffer of a value, which is used once, is used by nobody behind that."""
        while isinstance(value, IterArg) and self._counts[value] == 1:
            value = value.init_value
        if not isinstance(value, Var) or self._counts[value] != 1:
            return False
        if value in self.function.params:
            return self.function.func_type is not FunctionType.Orchestration
        origins = self._flows.origins([value]) - {value}
        return all(self._is_private_create(var) for var in origins or {value})


def _carries(function: Function) -> dict[Var, Expr]:
    """What each carry is given for the next round."""
    loops = collect(function.body, ForStmt, WhileStmt)
    return {arg: value for loop in loops for arg, value in zip(loop.iter_args, yielded_values(loop.body), strict=False)}


class _MergedCalls(Rewriter):
    """Leaves out the arguments that have been merged, and the tensors that were created for them."""

    def __init__(self, merges: Mapping[str, Merges]) -> None:
        super().__init__()
        self._merges = merges
        self._unused: set[Expr] = set()

    def rewritten(self, function: Function) -> Function:
        for call in collect(function.body, Call, Submit):
            self._unused.update(call.args[output] for output in self._merges.get(call.op.name, {}))
        body = self.visit_body(function.body)
        return function if body is function.body else rebuilt(function, {"body": body})

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | None:
        return None if stmt.var in self._unused else self.visit_node(stmt)

    def visit_call(self, call: Call) -> Expr:
        return self._shortened(self.visit_node(call))

    def visit_submit(self, call: Submit) -> Expr:
        return self._shortened(self.visit_node(call))

    def _shortened(self, call: Call | Submit) -> Expr:
        merged = self._merges.get(call.op.name)
        if not merged:
            return call
        return rebuilt(call, {"args": tuple(arg for i, arg in enumerate(call.args) if i not in merged)})
