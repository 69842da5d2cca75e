# SPDX-License-Identifier: Apache-2.0
"""Loops, branches, and what only orders memory accesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pypto_simulators.functional.errors import WRONG_VALUE, fail
from pypto_simulators.pto_text.activation import Activation, Executor
from pypto_simulators.pto_text.crossing_forms import ORDERING
from pypto_simulators.pto_text.module import Operation


def _for(activation: Activation, operation: Operation) -> None:
    low, high, by = activation.numbers(operation, "bounds")
    if by <= 0:
        raise fail(WRONG_VALUE, f"the step of a loop is {by}, but must be positive", operation.span)
    carried = activation.values(operation.named["carried"])
    for counter in range(low, high, by):
        activation.frame.machine.step(operation.span)
        carried = activation.run(operation.regions[0], (counter, *carried))
    activation.give(operation, *carried)


def _if(activation: Activation, operation: Operation) -> None:
    condition = activation.value(operation.operands[0])
    for region in operation.regions[:1] if condition else operation.regions[1:]:
        activation.give(operation, *activation.run(region))


def _while(activation: Activation, operation: Operation) -> None:
    before, after = operation.regions
    carried = activation.values(operation.named["carried"])
    goes_on, *passed = activation.run(before, carried)
    while goes_on:
        activation.frame.machine.step(operation.span)
        goes_on, *passed = activation.run(before, activation.run(after, passed))
    activation.give(operation, *passed)


def _nothing(_: Activation, _operation: Operation) -> None:
    """The operations run one after the other as they stand."""


EXECUTORS: Final[Mapping[str, Executor]] = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    **dict.fromkeys(ORDERING, _nothing),
}
