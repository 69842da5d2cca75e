# SPDX-License-Identifier: Apache-2.0
"""The contract of a simulator in one line: what the host, the pipeline file and `pypto-build check` rely on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pypto_build.host import SimulationRequest, SimulationResult, Simulator
from pypto_build.host.isolated import decode_result, encode_result
from pypto_build.ir import canonical_form
from pypto_build.testing.declaration import check_runner, demand


def check_simulator(simulator: Simulator, request: SimulationRequest) -> SimulationResult:
    """Check a simulator against its contract, on a program and inputs that it can run; the result.

    Raises:
        AssertionError: the contract is broken; the text says where.
    """
    check_runner(simulator)
    text = canonical_form(request.program)
    inputs = {name: np.array(value) for name, value in request.inputs.items()}
    result = simulator.simulate(request)
    demand(canonical_form(request.program) == text, f"{simulator.name} changes the program")
    demand(_same(inputs, request.inputs), f"{simulator.name} writes into the arrays of the request")
    _demand_equal(simulator, result, simulator.simulate(request), "gives another result for the same request")
    _demand_equal(simulator, result, decode_result(encode_result(result)), "has a report that is not plain data")
    return result


def _demand_equal(simulator: Simulator, one: SimulationResult, other: SimulationResult, otherwise: str) -> None:
    same = dict(one.report) == dict(other.report) and one.members == other.members
    demand(same and _same(one.outputs, other.outputs), f"{simulator.name} {otherwise}")


def _same(one: Mapping[str, NDArray[np.generic]], other: Mapping[str, object]) -> bool:
    """Whether both have the same arrays under the same names, bit for bit."""
    plain = {name: np.asarray(value) for name, value in other.items()}
    return one.keys() == plain.keys() and all(
        (one[name].dtype, one[name].shape, one[name].tobytes()) == (array.dtype, array.shape, array.tobytes())
        for name, array in plain.items()
    )
