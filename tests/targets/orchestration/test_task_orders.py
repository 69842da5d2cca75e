# SPDX-License-Identifier: Apache-2.0
"""Random orchestrations: derived dependencies keep every order that the tensors demand, whoever has to see to it."""

from __future__ import annotations

import pytest

from tests.targets.orchestration.generating import T, derived
from tests.targets.orchestration.running import recorded
from tests.targets.orchestration.task_orders import OrchestrationText, kernel_source, touches
from tests.taskruntime.hazards import missing
from tests.taskruntime.running import is_left_to_program

PARAMS = f"a: pl.InOut[{T}], b: pl.InOut[{T}], c: pl.InOut[{T}], n: pl.Scalar[pl.INDEX]"


@pytest.mark.parametrize("seed", range(24))
def test_no_order_is_lost(seed: int):
    text = OrchestrationText(seed)
    main = "\n".join(text.lines)
    graph = recorded(derived(main, params=PARAMS, kernels=kernel_source(), auto_scope=not text.by_hand))
    lost = missing(graph, touches(graph, main))
    assert [hazard for hazard in lost if not is_left_to_program(graph, hazard)] == []
