# SPDX-License-Identifier: Apache-2.0
"""What vector_add computes."""

import numpy as np


def inputs(rng):
    shape = (128, 128)
    return {"a": rng.standard_normal(shape, np.float32), "b": rng.standard_normal(shape, np.float32)}


def expected(inputs):
    return {"out": inputs["a"] + inputs["b"]}
