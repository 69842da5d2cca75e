# SPDX-License-Identifier: Apache-2.0
"""What matmul computes."""

import numpy as np

RTOL, ATOL = 1e-4, 1e-4


def inputs(rng):
    shape = (64, 64)
    return {"a": rng.standard_normal(shape, np.float32), "b": rng.standard_normal(shape, np.float32)}


def expected(inputs):
    return {"out": inputs["a"].astype(np.float64) @ inputs["b"]}
