# SPDX-License-Identifier: Apache-2.0
"""Every example of every pipeline runs as its emitted C++ says, at once and as late as that allows, and is right."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from pypto_build.driver.golden import compare, load_golden
from tests.pipelines.test_emitted_text import EMITTED, golden_of
from tests.pipelines.test_shipped_pipelines import ARGUMENTS, EXAMPLES
from tests.taskruntime.building import built
from tests.taskruntime.compiling import Emitted, compiled
from tests.taskruntime.interface import Orchestration
from tests.taskruntime.running import orders, run


@cache
def _examples(pipeline: str) -> dict[str, tuple[Orchestration, Emitted]]:
    """The examples that a pipeline emits kernels for, ready to run."""
    names = [name for other, name in EMITTED if other == pipeline]
    emitted: list[Emitted] = []
    for name in names:
        [one] = compiled(EXAMPLES / f"{name}.py", pipeline, tuple(ARGUMENTS.get(name, ()))).values()
        emitted.append(one)
    pairs = zip(built([one.source for one in emitted]), emitted, strict=True)
    return dict(zip(names, pairs, strict=True))


@pytest.mark.parametrize(("pipeline", "name"), EMITTED)
def test_an_example_computes_what_numpy_computes_early_and_late(pipeline: str, name: str):
    golden = load_golden(golden_of(name))
    entry, emitted = _examples(pipeline)[name]
    for order in orders()[:2]:
        inputs = dict(golden.inputs(np.random.default_rng(3)))
        expected = golden.expected(inputs)
        outcome = run(entry, emitted.kernels, inputs, order=order)
        assert outcome.missing() == [], order.name
        assert all(one.ok for one in compare(golden, expected, outcome.outputs)), order.name
