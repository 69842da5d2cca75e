# SPDX-License-Identifier: Apache-2.0
"""What tensor_scope computes."""

import numpy as np


def inputs(rng):
    shape = (64, 64)
    return {"x": rng.standard_normal(shape, np.float32), "y": rng.standard_normal(shape, np.float32)}


def expected(inputs):
    return {"out": (inputs["x"] + inputs["y"]) * np.float32(0.5)}
