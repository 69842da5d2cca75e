# SPDX-License-Identifier: Apache-2.0
"""The contract of a simulator in one line."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import numpy as np
import pytest
from pypto_simulators.functional.simulator import FunctionalSimulator

from pypto_build.host import SimulationRequest, SimulationResult
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B
from pypto_build.testing import check_simulator, program

KERNEL = program(
    """
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)
        return out
    """
)
_numbers = count()


def request() -> SimulationRequest:
    """A copy of one array into another."""
    inputs = {"x": np.ones((16, 16), np.float32), "out": np.zeros((16, 16), np.float32)}
    return SimulationRequest(KERNEL, "kernel", inputs, ASCEND910B, builtin_registry())


@dataclass(frozen=True, slots=True)
class Copying:
    """Copies."""

    name: ClassVar[str] = "copying"
    version: ClassVar[int] = 1

    def simulate(self, request):
        return SimulationResult({"out": request.inputs["x"].copy()})


@dataclass(frozen=True, slots=True)
class Writing(Copying):
    """Writes into the request."""

    def simulate(self, request):
        request.inputs["out"][:] = request.inputs["x"]
        return SimulationResult({"out": request.inputs["out"]})


@dataclass(frozen=True, slots=True)
class Counting(Copying):
    """Another report each time."""

    def simulate(self, request):
        return SimulationResult({"out": request.inputs["x"]}, {"runs": next(_numbers)})


@dataclass(frozen=True, slots=True)
class Reporting(Copying):
    """A report that JSON changes."""

    def simulate(self, request):
        return SimulationResult({"out": request.inputs["x"]}, {"sizes": (16, 16)})


BROKEN = {
    "writes into the arrays of the request": Writing(),
    "gives another result for the same request": Counting(),
    "has a report that is not plain data": Reporting(),
}


@pytest.mark.parametrize("simulator", [Copying(), FunctionalSimulator()], ids=lambda simulator: simulator.name)
def test_a_simulator_that_keeps_it_computes(simulator):
    np.testing.assert_array_equal(check_simulator(simulator, request()).outputs["out"], np.ones((16, 16)))


@pytest.mark.parametrize("text", BROKEN)
def test_what_breaks_it_is_named(text: str):
    with pytest.raises(AssertionError, match=text):
        check_simulator(BROKEN[text], request())
