# SPDX-License-Identifier: Apache-2.0
"""What gather_compare computes: every row holds the value eight times, at random places."""

import numpy as np

VALUE, ROWS, COLS, FOUND = 7, 16, 64, 8


def inputs(rng):
    x = rng.integers(100, 200, (ROWS, COLS), np.int32)
    for row in x:
        row[rng.permutation(COLS)[:FOUND]] = VALUE
    return {"x": x, "value": VALUE}


def expected(inputs):
    hits = inputs["x"] == inputs["value"]
    places = np.stack([np.flatnonzero(row) for row in hits])
    return {"places": places, "counts": hits.sum(axis=1).reshape(1, ROWS)}
