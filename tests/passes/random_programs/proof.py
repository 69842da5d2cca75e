# SPDX-License-Identifier: Apache-2.0
"""What must hold of a program that goes through the language passes: the same outputs, SSA form, and nothing twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.ctrl_flow_transform import CtrlFlowTransform
from pypto_passes.flatten_call_expr import FlattenCallExpr
from pypto_passes.inline_functions import InlineFunctions
from pypto_passes.normalize_stmt_structure import NormalizeStmtStructure
from pypto_passes.outline_cluster_scopes import OutlineClusterScopes
from pypto_passes.outline_hierarchy_scopes import OutlineHierarchyScopes
from pypto_passes.outline_incore_scopes import OutlineIncoreScopes
from pypto_passes.plugin import pypto_register_verifiers
from pypto_passes.simplify import Simplify
from pypto_passes.unroll_loops import UnrollLoops

from pypto_build.dsl.text import parse_program
from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import IRProperty, Pass, PassContext, apply_pass
from pypto_build.passes.properties import PropertySet
from pypto_build.passes.verifier import Verifier
from tests.simulators.running import simulate

LANGUAGE_PASSES: tuple[Pass, ...] = (
    InlineFunctions(),
    UnrollLoops(),
    CtrlFlowTransform(),
    ConvertToSSA(),
    Simplify(),
    NormalizeStmtStructure(),
    FlattenCallExpr(),
    OutlineHierarchyScopes(),
    OutlineIncoreScopes(),
    OutlineClusterScopes(),
)
STRUCTURE = frozenset({IRProperty.TypeChecked, IRProperty.UseAfterDef, IRProperty.BreakContinueValid})
"""What holds of every program; it is looked at after the last pass."""
MOST_ITERATIONS = 20_000
_VERIFIERS = pypto_register_verifiers()
_CONTEXT = PassContext()


TAKES, ONCE = "takes the program", "leaves its own result alone"
RUNS, OUTPUTS = "makes a program that runs", "keeps the outputs"


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of a pass: one of the four above, or that a property holds after it."""

    pass_name: str
    what: str


class RefutedError(AssertionError):
    """A program that shows that a claim is wrong."""

    def __init__(self, claim: Claim, detail: str) -> None:
        super().__init__(f"{claim.pass_name}: {claim.what}: {detail}")
        self.claim = claim


def prove(text: str, passes: Sequence[Pass] = LANGUAGE_PASSES) -> Program:
    """The program after all passes, after each of which every claim holds.

    Raises:
        RefutedError: one does not.
        UserError: the text is no program, or one that cannot be run.
    """
    program = parse_program(text)
    wanted = outputs(program)
    holds: PropertySet = STRUCTURE
    for pass_ in passes:
        holds = (holds - pass_.invalidates) | pass_.produces
        after = _applied(pass_, program)
        due = holds if pass_ is passes[-1] else pass_.produces | (holds & {IRProperty.SSAForm})
        changed = (RUNS, OUTPUTS, *(one.name for one in sorted(due, key=lambda one: one.value)))
        for what in (ONCE, *(changed if after is not program else ())):
            problem = _problem(what, pass_, after, wanted=wanted)
            if problem is not None:
                raise RefutedError(Claim(pass_.name, what), problem)
        program = after
    return program


def refutes(text: str, claim: Claim, passes: Sequence[Pass] = LANGUAGE_PASSES) -> bool:
    """Whether a program that every pass has to take shows that one claim is wrong.

    Nothing else is looked at, so this is faster than a proof.
    """
    position = [pass_.name for pass_ in passes].index(claim.pass_name)
    try:
        program = parse_program(text)
        apply_pass(ConvertToSSA(), program, _CONTEXT)  # refuses a program that reads what may have no value
        for pass_ in passes[:position]:
            program = apply_pass(pass_, program, _CONTEXT)
        wanted = outputs(program)
        after = _applied(passes[position], program)
        return claim.what != TAKES and _problem(claim.what, passes[position], after, wanted=wanted) is not None
    except RefutedError as error:
        return error.claim == claim
    except (UserError, ValueError, SyntaxError):  # no program any more
        return False


def _applied(pass_: Pass, program: Program) -> Program:
    try:
        return apply_pass(pass_, program, _CONTEXT)
    except Exception as error:
        raise RefutedError(Claim(pass_.name, TAKES), f"{type(error).__name__}: {error}") from error


def _problem(what: str, pass_: Pass, after: Program, *, wanted: Mapping[str, Any]) -> str | None:
    """What contradicts a claim about the program after a pass."""
    if what == ONCE:
        return None if apply_pass(pass_, after, _CONTEXT) is after else "it makes another program of it"
    if what in (RUNS, OUTPUTS):
        ending, difference = _outputs_differ(wanted, after)
        return difference if ending == what else None
    found = _verifier(IRProperty[what])(after, _CONTEXT)
    return next((one.message for one in found if one.severity == "error"), None)


def _outputs_differ(wanted: Mapping[str, Any], program: Program) -> tuple[str, str | None]:
    """What a program computes otherwise than is wanted; not a bit may differ, as the operations are the same."""
    try:
        found = outputs(program)
    except UserError as error:
        return RUNS, str(error)
    for name, array in wanted.items():
        if not np.array_equal(array, found[name], equal_nan=True):
            return OUTPUTS, f"{name} is {found[name].ravel()[:8]} instead of {array.ravel()[:8]}"
    return OUTPUTS, None


def outputs(program: Program) -> Mapping[str, Any]:
    """What the program computes of inputs that are always the same."""
    return simulate(program, inputs(), max_iterations=MOST_ITERATIONS, addresses="no").outputs


def inputs() -> dict[str, Any]:
    """Arrays of small numbers, no two of which are the same within one."""
    few, many = np.arange(32, dtype=np.float32).reshape(4, 8), np.arange(64, dtype=np.float32).reshape(8, 8)
    tensors = {"x": few / 8 - 1, "y": 2 - few / 16, "w": many / 32 - 1, "acc": few / 4, "out": np.zeros_like(few)}
    return {**tensors, "n": 2, "r": 0.75}


@cache
def _verifier(property_: IRProperty) -> Verifier:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", property_.name).lower()
    module, attribute = _VERIFIERS[name].split(":")
    found: Callable[..., Any] = getattr(import_module(module), attribute)
    return found
