# SPDX-License-Identifier: Apache-2.0
"""What scalar_chain computes."""

import numpy as np


def inputs(rng):
    return {"x": rng.standard_normal((64, 128), np.float32), "scale": 0.75}


def expected(inputs):
    y = inputs["x"] * np.float32(inputs["scale"]) + np.float32(1.5)
    return {"out": np.exp(-np.abs(np.maximum(y, y * np.float32(0.1))))}
