# SPDX-License-Identifier: Apache-2.0
"""What layer_norm computes."""

import numpy as np


def inputs(rng):
    return {
        "x": rng.standard_normal((128, 64), np.float32),
        "gain": rng.standard_normal((1, 64), np.float32),
        "shift": rng.standard_normal((1, 64), np.float32),
    }


def expected(inputs):
    x = inputs["x"].astype(np.float64)
    mean = x.mean(axis=1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=1, keepdims=True)
    return {"out": (x - mean) / np.sqrt(variance + 1e-5) * inputs["gain"] + inputs["shift"]}
