# SPDX-License-Identifier: Apache-2.0
"""What feed_forward computes."""

import numpy as np

RTOL, ATOL = 1e-4, 1e-4


def inputs(rng):
    shape = (64, 64)
    return {"x": rng.standard_normal(shape, np.float32) / 8, "weight": rng.standard_normal(shape, np.float32)}


def expected(inputs):
    hidden = inputs["x"].astype(np.float64) @ inputs["weight"]
    return {"out": hidden / (1 + np.exp(-hidden))}
