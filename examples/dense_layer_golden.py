# SPDX-License-Identifier: Apache-2.0
"""What dense_layer computes: a product in single precision, a bias, and a leaky rectifier."""

import numpy as np


def inputs(rng):
    return {
        "x": rng.standard_normal((32, 64)).astype(np.float16),
        "weight": rng.standard_normal((64, 64)).astype(np.float16),
        "bias": rng.standard_normal((32, 64), np.float32),
    }


def expected(inputs):
    product = inputs["x"].astype(np.float32) @ inputs["weight"].astype(np.float32)
    shifted = product + inputs["bias"]
    return {"out": np.maximum(shifted, shifted * np.float32(0.1))}
