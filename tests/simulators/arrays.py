# SPDX-License-Identifier: Apache-2.0
"""Small arrays that hypothesis chooses: shapes, valid regions, element types, values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

FLOATS = (np.float32, np.float16, ml_dtypes.bfloat16)
INTS = (np.int32, np.int16, np.int8)
TOLERANCE = {np.dtype(np.float32): 1e-6, np.dtype(np.float16): 1e-3, np.dtype(ml_dtypes.bfloat16): 8e-3}


def shapes(rows: int = 9, columns: int = 9) -> st.SearchStrategy[tuple[int, int]]:
    """Two extents."""
    return st.tuples(st.integers(1, rows), st.integers(2, columns))


@st.composite
def matrices(draw: st.DrawFn, kinds: Any = FLOATS, shape: Any = None, low: int = -8, high: int = 8) -> Any:
    """A matrix of small numbers that every type holds exactly, and none of which is 0 by chance alone."""
    extents = shape if isinstance(shape, tuple) else draw(shapes() if shape is None else shape)
    seed = draw(st.integers(0, 1 << 16))
    values = np.random.default_rng(seed).integers(low * 4, high * 4, extents) / 4
    kind = np.dtype(draw(st.sampled_from(kinds)))
    return values.astype(kind)


@st.composite
def parts(draw: st.DrawFn, array: Any) -> tuple[int, ...]:
    """A valid region of an array."""
    return tuple(draw(st.integers(1, extent)) for extent in array.shape)


def close(found: Any, wanted: Any, kind: Any = None) -> bool:
    """Whether two arrays agree as well as the element type allows."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    tolerance = TOLERANCE.get(np.dtype(kind if kind is not None else found.dtype), 0.0)
    return found.shape == wanted.shape and np.allclose(
        found.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=tolerance, equal_nan=True
    )
