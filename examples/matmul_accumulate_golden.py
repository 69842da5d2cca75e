# SPDX-License-Identifier: Apache-2.0
"""What matmul_accumulate computes."""

import numpy as np

RTOL, ATOL = 1e-4, 1e-4


def inputs(rng):
    return {"a": rng.standard_normal((64, 128), np.float32), "b": rng.standard_normal((128, 64), np.float32)}


def expected(inputs):
    return {"out": inputs["a"].astype(np.float64) @ inputs["b"]}
