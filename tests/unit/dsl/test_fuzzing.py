# SPDX-License-Identifier: Apache-2.0
"""Generated modules: the front end accepts what prints and parses back, and says of everything else what is wrong.

`tests/bench/fuzz_frontend.py` does the same with as many modules as one likes.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.unit.dsl.fuzz.calls import OPERATIONS, parameters
from tests.unit.dsl.fuzz.kernels import snippet, snippets
from tests.unit.dsl.fuzz.outcome import ContractError, outcome
from tests.unit.dsl.fuzz.smaller import failure_of, smaller


@settings(max_examples=500, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(text=snippets())
def test_a_module_is_accepted_or_refused_and_nothing_else(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed_kernel.py"

    def way(part: str) -> str:
        path.write_text(part, encoding="utf-8")
        return failure_of(lambda: outcome(path))

    failure = way(text)
    if failure:
        pytest.fail(f"{failure}\n{smaller(text, lambda part: way(part) == failure)}")


def test_generated_modules_differ_and_are_of_both_kinds(tmp_path: Path) -> None:
    random, path = Random(1), tmp_path / "kernel.py"
    texts = {snippet(random) for _ in range(60)}
    accepted = 0
    for text in texts:
        path.write_text(text, encoding="utf-8")
        accepted += outcome(path).accepted
    assert len(texts) > 50
    assert 6 <= accepted <= 50


def test_a_refusal_without_help_is_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(
        "from pypto_build.errors import Span, UserError\nraise UserError('X', 'no', Span(__file__, 1, 1))\n"
    )
    with pytest.raises(ContractError, match="no help"):
        outcome(path)


def test_a_failing_text_is_made_small() -> None:
    text = "a = 1\nb = 2\nfor i in range(3):\n    c = wrong(i, 4)\n    d = 5\n"
    assert smaller(text, lambda part: "wrong" in part) == "wrong"


def test_operations_are_called_with_parameters_of_theirs() -> None:
    assert [one.name for one in OPERATIONS["pl.load"]] == [
        "tensor",
        "offsets",
        "shapes",
        "valid_shape",
        "target_memory",
        "clamp",
    ]
    assert [(one.name, one.keyword, one.optional) for one in parameters("a, b?, *, c=0, d")] == [
        ("a", False, False),
        ("b", False, True),
        ("c", True, True),
        ("d", True, False),
    ]
