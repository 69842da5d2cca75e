# SPDX-License-Identifier: Apache-2.0
"""How near the outputs of one stage of a program are to those of another, as near as their element types allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pypto_build.driver.golden import Comparison, Golden
from pypto_build.errors import UserError
from pypto_build.host import SimulationResult

_NARROW_BITS = {"float16": 10, "bfloat16": 7, "float8_e4m3fn": 3, "float8_e5m2": 2, "float4_e2m1fn": 1}
_FP32_RTOL = 64 * 2.0**-23  # 64 units in the last place: another order of the same sums
_NARROW_UNITS = 4  # narrow types are rounded after each step, but sums are in FP32

Array = NDArray[Any]


class Answer:
    """The outputs of the source, and how near others must come."""

    def __init__(
        self, wanted: SimulationResult, inputs: Mapping[str, Any], *, golden: Golden | None, rtol: float | None
    ) -> None:
        self._wanted = wanted
        self._inputs = inputs
        self._golden = golden
        self._rtol = rtol

    def compare(self, found: SimulationResult) -> tuple[Comparison, ...]:
        """Each output against that of the source; one that only one of them wrote against the input."""
        old, new = self._wanted.outputs, found.outputs
        written = [name for name in {**old, **new} if (name in old and name in new) or name in self._inputs]
        pairs = [(name, self._value(old, new, name), self._value(new, old, name)) for name in written]
        results = _returned(self._wanted), _returned(found)
        if len(results[0]) != len(results[1]):
            raise UserError("CHK002", f"{len(results[1])} values are returned, before {len(results[0])}")
        for first, second in zip(*results, strict=True):
            if first in old and second in new and not (first in written and second in written):
                pairs.append((first, old[first], new[second]))
        return tuple(self._compare(*pair) for pair in pairs)

    def _value(self, outputs: Mapping[str, Array], others: Mapping[str, Array], name: str) -> Array:
        """An output, or the input that it was left as."""
        return outputs[name] if name in outputs else np.asarray(self._inputs[name]).astype(others[name].dtype)

    def _compare(self, name: str, wanted: Array, found: Array) -> Comparison:
        if wanted.shape != found.shape:
            raise UserError("CHK003", f"output {name!r} has shape {list(found.shape)}, before {list(wanted.shape)}")
        if wanted.dtype.kind in "iub":
            worst = float(np.max(np.abs(wanted.astype(np.float64) - found.astype(np.float64)), initial=0.0))
            return Comparison(name, worst, np.inf if worst else 0.0)
        want, got = wanted.astype(np.float64), found.astype(np.float64)
        same = (want == got) | (np.isnan(want) & np.isnan(got))
        comparable = np.isfinite(want) & np.isfinite(got)
        with np.errstate(invalid="ignore"):
            error = np.where(same, 0.0, np.where(comparable, np.abs(want - got), np.inf))
        scaled = error / self._tolerance(want[np.isfinite(want)], want, wanted.dtype.name)
        return Comparison(name, float(np.max(error, initial=0.0)), float(np.max(scaled, initial=0.0)))

    def _tolerance(self, finite: Array, want: Array, kind: str) -> Array:
        """What the golden file or the caller allows, else what the type holds relative to the largest element."""
        if self._golden is not None and self._rtol is None:
            return self._golden.atol + self._golden.rtol * np.where(np.isfinite(want), np.abs(want), 0.0)
        rtol = self._rtol
        if rtol is None:
            bits = _NARROW_BITS.get(kind)
            rtol = _FP32_RTOL if bits is None else min(0.25, _NARROW_UNITS * 2.0**-bits)
        largest = float(np.max(np.abs(finite), initial=0.0))
        return np.full(want.shape, max(rtol * largest, np.finfo(np.float64).tiny))


def _returned(result: SimulationResult) -> list[str]:
    return list(cast("list[str]", result.report.get("returned", [])))
