# SPDX-License-Identifier: Apache-2.0
"""What repeated_layer computes."""

import numpy as np


def inputs(rng):
    shape = (32, 128)
    return {"weights": rng.standard_normal((96, 128), np.float32), "state": rng.standard_normal(shape, np.float32)}


def expected(inputs):
    state = inputs["state"]
    for weights in np.split(inputs["weights"], 3):
        state = np.maximum(state + state * weights, np.float32(0))
    return {"state": state}
