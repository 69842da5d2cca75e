# SPDX-License-Identifier: Apache-2.0
"""Running one pass in memory; the pipeline adds keys, reuse and verification around the same two functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from pypto_build.analysis.call_graph import bottom_up, call_graph, called_names, is_cycle
from pypto_build.errors import UserError
from pypto_build.ir import Function, GlobalVar, Program, signature_digest
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
    for component in bottom_up(graph):
        for name in rounds(component, graph, partial(states, component, results)):
            function = program.functions[GlobalVar(name)]
            results[name] = run_function(pass_, function, callees_of(graph[name], before, results), own)
    return merged(program, results)


def rounds(
    component: tuple[str, ...], graph: Mapping[str, tuple[str, ...]], state: Callable[[], object]
) -> Iterator[str]:
    """The functions to visit: each once, and those of a call cycle again until what they tell each other settles."""
    yield from component
    if not is_cycle(component, graph):
        return
    last = state()
    for _ in component:
        yield from component
        if state() == last:
            return
        last = state()


def states(component: tuple[str, ...], results: Mapping[str, FunctionResult]) -> object:
    """What the functions of a component tell their callers."""
    told: list[object] = []
    for name in component:
        own = _own(name, results[name])
        told.append((signature_digest(own) if own is not None else None, results[name].summary))
    return told


def run_function(pass_: FunctionPass, function: Function, callees: Callees, context: PassContext) -> FunctionResult:
    """One function through a FunctionPass, the result in its long form."""
    made = pass_.run(function, callees, context)
    return made if isinstance(made, FunctionResult) else FunctionResult((made,))


def callees_of(names: Iterable[str], before: Mapping[str, Signature], results: Mapping[str, FunctionResult]) -> Callees:
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


__all__ = ["apply_pass", "called_names", "callees_of", "merged", "rounds", "run_function", "states"]
