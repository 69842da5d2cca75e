# SPDX-License-Identifier: Apache-2.0
"""The kernels of all programs, as DSL text and as NumPy functions of the same names that write in place."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

T = "pl.Tensor[[16, 16], pl.FP32]"
_ALL = "[0, 0], [16, 16]"

_TEXTS = {
    "copy": f"""
    def copy(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.load(x, {_ALL}), [0, 0], out)
""",
    "step": f"""
    def step(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.add(pl.mul(pl.load(x, {_ALL}), 0.5), 1.0), [0, 0], out)
""",
    "grow": f"""
    def grow(self, x: {T}, total: pl.InOut[{T}]) -> {T}:
        return pl.store(pl.add(pl.load(total, {_ALL}), pl.load(x, {_ALL})), [0, 0], total)
""",
    "scale": f"""
    def scale(self, x: {T}, by: pl.Scalar[pl.FP32], out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.mul(pl.load(x, {_ALL}), by), [0, 0], out)
""",
    "pair": f"""
    def pair(self, x: {T}, first: pl.Out[{T}], second: pl.Out[{T}]) -> tuple[{T}, {T}]:
        tile = pl.load(x, {_ALL})
        first = pl.store(pl.add(tile, 1.0), [0, 0], first)
        second = pl.store(pl.mul(tile, 2.0), [0, 0], second)
        return first, second
""",
    "join": f"""
    def join(self, x: {T}, y: {T}, out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.sub(pl.load(x, {_ALL}), pl.mul(pl.load(y, {_ALL}), 0.5)), [0, 0], out)
""",
    "band": f"""
    def band(self, x: {T}, row: pl.Scalar[pl.INDEX], out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.mul(pl.load(x, [row, 0], [4, 16]), 3.0), [row, 0], out)
""",
}


def text(used: str) -> str:
    """The kernels that a text calls."""
    wanted = [text for name, text in _TEXTS.items() if re.search(rf"\bself\.{name}\b", used)]
    return "".join(f"\n    @pl.function(type=pl.FunctionType.InCore){one}" for one in wanted)


def copy(x: Any, out: Any) -> None:
    out[:] = x


def step(x: Any, out: Any) -> None:
    out[:] = x * np.float32(0.5) + np.float32(1.0)


def grow(x: Any, total: Any) -> None:
    total[:] = total + x


def scale(x: Any, by: float, out: Any) -> None:
    out[:] = x * np.float32(by)


def pair(x: Any, first: Any, second: Any) -> None:
    first[:], second[:] = x + np.float32(1.0), x * np.float32(2.0)


def join(x: Any, y: Any, out: Any) -> None:
    out[:] = x - y * np.float32(0.5)


def band(x: Any, row: int, out: Any) -> None:
    out[row : row + 4] = x[row : row + 4] * np.float32(3.0)


def made() -> Any:
    """A tensor that an orchestration creates."""
    return np.full((16, 16), np.nan, np.float32)
