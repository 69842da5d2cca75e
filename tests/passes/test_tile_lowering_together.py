# SPDX-License-Identifier: Apache-2.0
"""The passes that bring tiles into the forms of the hardware, one after the other, on random kernels."""

from __future__ import annotations

import numpy as np
import pytest
from pypto_passes.canonicalize_tile_slice import CanonicalizeTileSlice
from pypto_passes.flatten_tile_nd_to_2d import FlattenTileNdTo2D
from pypto_passes.infer_tile_memory_space import InferTileMemorySpace
from pypto_passes.legalize_tile_cast import LegalizeTileCast
from pypto_passes.resolve_backend_op_layouts import ResolveBackendOpLayouts
from pypto_passes.verifiers.tile_ops_2d import verify_tile_ops_2d

from pypto_build.ir import Program
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, PassContext, apply_pass
from tests.passes import programs
from tests.passes.random_tiles import NUMBER, random_kernel
from tests.passes.simulated import answer

PASSES = (
    *(FlattenTileNdTo2D(), LegalizeTileCast(), CanonicalizeTileSlice()),
    *(InferTileMemorySpace(), ResolveBackendOpLayouts()),
)


def assert_same(found: Program, wanted: Program, what: str) -> None:
    """Both programs compute the same."""
    after, before = (answer(one, scalars=NUMBER) for one in (found, wanted))
    for name, expected in before.items():
        got = np.asarray(after[name], np.float64)
        np.testing.assert_allclose(
            got, np.asarray(expected, np.float64), rtol=1e-4, atol=1e-4, err_msg=f"{what} {name}"
        )


@pytest.mark.parametrize("hardware", [ASCEND910B, ASCEND950], ids=lambda h: h.name)
@pytest.mark.parametrize("seed", range(60))
def test_a_random_kernel_computes_the_same_after_each_pass(seed: int, hardware: HardwareDescription):
    made, context = programs.program(random_kernel(seed)), PassContext(hardware_description=hardware)
    for pass_ in PASSES:
        before, made = made, apply_pass(pass_, made, context)
        if made is not before:
            assert_same(made, before, f"{type(pass_).__name__}\n{before}\n{made}")
            programs.assert_unchanged(pass_, made, context)
    assert list(verify_tile_ops_2d(made, context)) == []
