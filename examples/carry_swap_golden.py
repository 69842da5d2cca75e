# SPDX-License-Identifier: Apache-2.0
"""What carry_swap computes: after five steps the newest state lies in pong, the one before it in ping."""

import numpy as np


def inputs(rng):
    return {"ping": rng.standard_normal((32, 32), np.float32), "pong": np.zeros((32, 32), np.float32)}


def expected(inputs):
    states = [inputs["ping"]]
    for _ in range(5):
        states.append(states[-1] * np.float32(0.5) + np.float32(1.0))
    return {"pong": states[5], "ping": states[4]}
