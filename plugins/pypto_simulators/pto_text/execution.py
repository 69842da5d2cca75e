# SPDX-License-Identifier: Apache-2.0
"""Carrying out an operation: a table of name -> function, and what is not in it is an instruction on tiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pypto_simulators.pto_text import (
    control,
    core_crossing,
    scalar_operations,
    single_elements,
    tile_handles,
    transfers,
)
from pypto_simulators.pto_text.activation import Activation, Executor
from pypto_simulators.pto_text.instructions import execute_instruction
from pypto_simulators.pto_text.module import Operation

_FAMILIES = (control, scalar_operations, tile_handles, transfers, single_elements, core_crossing)
EXECUTORS: Final[Mapping[str, Executor]] = {
    name: executor for family in _FAMILIES for name, executor in family.EXECUTORS.items()
}


def execute(activation: Activation, operation: Operation) -> None:
    """Carry out an operation.

    Raises:
        UserError: it does something that it must not, or cannot be simulated.
    """
    EXECUTORS.get(operation.name, execute_instruction)(activation, operation)
