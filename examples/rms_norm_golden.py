# SPDX-License-Identifier: Apache-2.0
"""What rms_norm computes."""

import numpy as np


def inputs(rng):
    return {"x": rng.standard_normal((64, 128), np.float32), "weight": rng.standard_normal((1, 128), np.float32)}


def expected(inputs):
    x = inputs["x"].astype(np.float64)
    return {"out": x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-6) * inputs["weight"]}
