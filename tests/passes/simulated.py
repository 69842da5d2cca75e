# SPDX-License-Identifier: Apache-2.0
"""Running a kernel in the functional simulator, to see that a pass leaves its answer alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from pypto_build.ir import DataType, ParamDirection, Program, ScalarType, TensorType, as_int
from pypto_build.passes import ASCEND910B, HardwareDescription, Pass, PassContext, apply_pass
from tests.passes import programs
from tests.simulators.running import simulate


def answer(program: Program, entry: str = "kernel", *, scalars: int = 1, seed: int = 0) -> dict[str, Any]:
    """What a kernel computes from generated arrays; scalar parameters and symbols of shapes have one value."""
    return dict(simulate(program, inputs_of(program, entry, scalars=scalars, seed=seed), entry=entry).outputs)


def inputs_of(program: Program, entry: str = "kernel", *, scalars: int = 1, seed: int = 0) -> dict[str, Any]:
    """Generated arrays for the parameters of a kernel."""
    function, rng = programs.method(program, entry), np.random.default_rng(seed)
    inputs: dict[str, Any] = {}
    for param, way in zip(function.params, function.param_directions, strict=True):
        kind = param.type
        if isinstance(kind, ScalarType):
            inputs[param.name_hint] = scalars
        elif isinstance(kind, TensorType) and way is not ParamDirection.Out:
            extents = tuple(scalars if (extent := as_int(dim)) is None else extent for dim in kind.shape)
            inputs[param.name_hint] = _array(kind.dtype, extents, rng)
    return inputs


def _array(dtype: DataType, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    if dtype.is_float():
        return rng.standard_normal(shape).astype(np.float32)
    return rng.integers(0, 100, shape)


def assert_same_answer(
    pass_: Pass, program: Program, *, scalars: int = 1, hardware: HardwareDescription = ASCEND910B
) -> Program:
    """The program after a pass that changes it, but not what the kernel computes; it prints and reads the same."""
    made = apply_pass(pass_, program, PassContext(hardware_description=hardware))
    assert made is not program
    programs.assert_becomes(pass_, program, made, PassContext(hardware_description=hardware))
    before, after = answer(program, scalars=scalars), answer(made, scalars=scalars)
    assert before.keys() == after.keys()
    for name, expected in before.items():
        got, wanted = np.asarray(after[name], np.float64), np.asarray(expected, np.float64)
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5, err_msg=f"{name} of\n{made}")
    return made
