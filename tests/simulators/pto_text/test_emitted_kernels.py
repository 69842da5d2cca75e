# SPDX-License-Identifier: Apache-2.0
"""Random kernels compute by their PTO assembly what they compute by their IR, to the last bit.

A kernel of tiles is carried out by its semantics in both, so what differs is what was emitted: addresses, layouts,
windows, valid parts, types and the order of instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from pypto_passes.simplify import Simplify
from pypto_simulators.functional.simulator import FunctionalSimulator
from pypto_simulators.pto_text.simulator import EmittedSimulator
from pypto_targets.pto.module import kernel_module

from pypto_build.host import SimulationRequest, TargetContext
from pypto_build.ir import Program
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, PassContext, apply_pass
from tests.passes import programs
from tests.passes.random_kernels import random_body
from tests.passes.random_tiles import NUMBER, random_kernel
from tests.passes.simulated import inputs_of
from tests.passes.test_tile_lowering_together import PASSES
from tests.passes.tile_places import TO_ADDRESSES, kernel

OPS = builtin_registry()


def both(program: Program, entry: str, hardware: HardwareDescription, inputs: Mapping[str, Any]) -> tuple[Any, Any]:
    """The outputs by IR and by text."""
    text, _ = kernel_module(tuple(program.functions.values()), TargetContext(hardware, OPS))
    request = SimulationRequest(program, entry, inputs, hardware, OPS, {"kernels/k.pto": text.encode()})
    return FunctionalSimulator(addresses="yes").simulate(request).outputs, EmittedSimulator().simulate(request).outputs


def assert_same(meant: Mapping[str, Any], emitted: Mapping[str, Any]) -> None:
    """What has content is the same; what `tile.create` leaves is nothing by IR, and what lay there before by text."""
    assert meant.keys() == emitted.keys()
    for name, wanted in meant.items():
        known = ~np.isnan(wanted)
        np.testing.assert_array_equal(emitted[name][known], wanted[known], err_msg=name)


@pytest.mark.parametrize("scalar", range(3))
@pytest.mark.parametrize("seed", range(40))
def test_loops_and_branches_compute_the_same(seed: int, scalar: int):
    made = kernel(random_body(seed))
    for pass_ in TO_ADDRESSES:
        made = apply_pass(pass_, made, PassContext())
    x = np.random.default_rng(seed).standard_normal((16, 16)).astype(np.float32)
    assert_same(*both(made, "main", ASCEND910B, {"x": x, "c": scalar, "out": np.zeros_like(x)}))


@pytest.mark.parametrize("hardware", [ASCEND910B, ASCEND950], ids=lambda h: h.name)
@pytest.mark.parametrize("seed", range(40))
def test_tiles_in_the_forms_of_the_hardware_compute_the_same(seed: int, hardware: HardwareDescription):
    made, context = programs.program(random_kernel(seed)), PassContext(hardware_description=hardware)
    for pass_ in (*PASSES, Simplify(), *TO_ADDRESSES):
        made = apply_pass(pass_, made, context)
    assert_same(*both(made, "kernel", hardware, inputs_of(made, scalars=NUMBER)))
