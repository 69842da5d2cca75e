# SPDX-License-Identifier: Apache-2.0
"""Running one pass in memory; the pipeline adds keys, reuse and verification around the same two functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pypto_build.analysis.call_graph import bottom_up, call_graph, called_names
from pypto_build.errors import UserError
from pypto_build.ir import Function, Program
from pypto_build.passes.context import PassContext
from pypto_build.passes.contract import Callee, Callees, FunctionPass, FunctionResult, Pass, Signature


def apply_pass(pass_: Pass, program: Program, context: PassContext | None = None) -> Program:
    """The program after a pass; the same object when nothing changed."""
    own = (context or PassContext()).restricted(pass_.reads)
    if not isinstance(pass_, FunctionPass):
        return pass_.run(program, own)
    before = {function.name: Signature.of(function) for function in program.functions.values()}
    results: dict[str, FunctionResult] = {}
    graph = call_graph(program)
    for name in bottom_up(graph):
        function = program.get_function(name)
        if function is not None:
            results[name] = run_function(pass_, function, callees_of(graph[name], before, results), own)
    return merged(program, results)


def run_function(
    pass_: FunctionPass, function: Function, callees: Callees, context: PassContext
) -> FunctionResult:
    """One function through a FunctionPass, the result in its long form."""
    made = pass_.run(function, callees, context)
    return made if isinstance(made, FunctionResult) else FunctionResult((made,))


def callees_of(
    names: Iterable[str], before: Mapping[str, Signature], results: Mapping[str, FunctionResult]
) -> Callees:
    """What the caller of some functions may know of them at this point of the walk."""
    known: dict[str, Callee] = {}
    for name in names:
        result = results.get(name)
        after = _own(name, result) if result else None
        signature = Signature.of(after) if after is not None else before[name]
        known[name] = Callee(before[name], signature, result.summary if result else None)
    return Callees(known)


def _own(name: str, result: FunctionResult) -> Function | None:
    return next((function for function in result.functions if function.name == name), None)


def merged(program: Program, results: Mapping[str, FunctionResult]) -> Program:
    """The program made of the results; UserError when two functions come out with one name."""
    functions = [function for name in sorted(results) for function in results[name].functions]
    seen: dict[str, Function] = {}
    for function in functions:
        other = seen.setdefault(function.name, function)
        if other is not function:
            raise UserError(
                "PASS001",
                f"two functions of {program.name or 'the program'} are named {function.name!r}",
                function.span,
                help="give one of the scopes another name_hint",
                notes=((f"the other {function.name!r}", other.span),),
            )
    return program.with_functions(functions)


__all__ = ["apply_pass", "called_names", "callees_of", "merged", "run_function"]
