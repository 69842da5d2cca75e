# SPDX-License-Identifier: Apache-2.0
"""What pipelined_add computes."""

import numpy as np


def inputs(rng):
    shape = (256, 64)
    return {"a": rng.standard_normal(shape, np.float32), "b": rng.standard_normal(shape, np.float32)}


def expected(inputs):
    return {"out": inputs["a"] + inputs["b"]}
