# SPDX-License-Identifier: Apache-2.0
"""Golden files: the inputs of a simulation, what NumPy makes of them, and how near the result must come.

A golden file is a Python module with

    def inputs(rng):            # numpy.random.Generator -> {parameter name: array or number}
    def expected(inputs):       # the same dictionary -> {output parameter name: array}
    RTOL, ATOL = 1e-5, 1e-6     # optional

Arrays for Out parameters need not be given: they are made of the parameter's shape.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pypto_build.errors import Span, UserError
from pypto_build.host.fresh_source import FreshSourceLoader

if TYPE_CHECKING:
    import numpy as np

DEFAULT_RTOL, DEFAULT_ATOL = 1e-5, 1e-6
_NAME = "__pypto_golden__"


@dataclass(frozen=True, slots=True)
class Golden:
    """A loaded golden file."""

    path: str
    inputs: Callable[[np.random.Generator], Mapping[str, Any]]
    expected: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    rtol: float
    atol: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One output against its golden value: the largest absolute error, and relative to `atol + rtol * |expected|`."""

    name: str
    max_error: float
    scaled: float

    @property
    def ok(self) -> bool:
        """Whether every element is within tolerance."""
        return self.scaled <= 1.0


def load_golden(path: str) -> Golden:
    """Load a golden file.

    Raises:
        UserError: it cannot be run, or one of its two functions is missing.
    """
    spec = importlib.util.spec_from_file_location(_NAME, path, loader=FreshSourceLoader(_NAME, path))
    if spec is None or spec.loader is None:
        raise UserError("GOLD001", f"{path} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as problem:  # the user's module may raise anything
        raise UserError("GOLD002", f"{type(problem).__name__} in golden file: {problem}", Span(path, 1, 1)) from problem
    for name in ("inputs", "expected"):
        if not callable(getattr(module, name, None)):
            raise UserError("GOLD003", f"golden file has no function {name!r}", Span(path, 1, 1))
    rtol = float(getattr(module, "RTOL", DEFAULT_RTOL))
    atol = float(getattr(module, "ATOL", DEFAULT_ATOL))
    return Golden(path, module.inputs, module.expected, rtol, atol)


def compare(golden: Golden, expected: Mapping[str, Any], outputs: Mapping[str, Any]) -> tuple[Comparison, ...]:
    """Each expected output against the simulated one.

    Raises:
        UserError: nothing is expected, or an output is missing or has another shape.
    """
    import numpy as np

    if not expected:
        text = "`expected` names no output, so there is nothing to compare"
        raise UserError("GOLD006", text, Span(golden.path, 1, 1), help=f"outputs: {', '.join(outputs) or 'none'}")
    result: list[Comparison] = []
    for name, wanted in expected.items():
        if name not in outputs:
            known = ", ".join(outputs) or "none"
            raise UserError(
                "GOLD004", f"there is no output {name!r}", Span(golden.path, 1, 1), help=f"outputs: {known}"
            )
        want, got = np.asarray(wanted, np.float64), np.asarray(outputs[name], np.float64)
        if want.shape != got.shape:
            raise UserError("GOLD005", f"output {name!r} has shape {got.shape}, the golden one {want.shape}")
        with np.errstate(invalid="ignore"):  # inf - inf, decided below
            difference = np.abs(got - want)
        bad = ~(np.isfinite(got) == np.isfinite(want))
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        difference = np.where(same, 0.0, np.where(bad, np.inf, difference))
        with np.errstate(invalid="ignore"):
            scaled = np.where(same, 0.0, difference / (golden.atol + golden.rtol * np.abs(want)))
        scaled = np.where(np.isnan(scaled), np.inf, scaled)
        if want.size:
            result.append(Comparison(name, float(difference.max()), float(scaled.max())))
    return tuple(result)
