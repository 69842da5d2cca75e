# SPDX-License-Identifier: Apache-2.0
"""Random orchestrations run: derived dependencies keep every order, whoever has to see to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.targets.orchestration.generating import T, derived
from tests.targets.orchestration.running import launches
from tests.targets.orchestration.task_orders import OrchestrationText, broken_orders, kernel_source

PARAMS = f"a: pl.InOut[{T}], b: pl.InOut[{T}], c: pl.InOut[{T}], n: pl.Scalar[pl.INDEX]"


@pytest.mark.parametrize("seed", range(12))
def test_no_order_is_lost(seed: int, tmp_path: Path):
    text = OrchestrationText(seed)
    main = "\n".join(text.lines)
    made = derived(main, params=PARAMS, kernels=kernel_source(), auto_scope=not text.by_hand)
    assert broken_orders(launches(made, tmp_path, modes=True), main) == []


def test_an_order_that_is_lost_is_found():
    main = "self.fill(a)\nself.grow(a)"
    assert broken_orders(["manual", "0: out0", "1: inout0"], main) == [(0, 1, 0)]
    assert broken_orders(["0: out0", "1: inout0"], main) == []
