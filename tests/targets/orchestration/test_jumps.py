# SPDX-License-Identifier: Apache-2.0
"""Jumps that stay in an orchestration function: an iteration is left before it has bound anything."""

from __future__ import annotations

import pytest

from tests.targets.orchestration.generating import PARAMS, T, body, derived

GROWING = PARAMS.replace("pl.Out", "pl.InOut") + ", n: pl.Scalar[pl.INDEX]"


@pytest.mark.parametrize(("header", "loop"), [("for i in pl.range(n):", "for"), ("while n > 0:", "while")])
@pytest.mark.parametrize("jump", ["break", "continue"])
def test_a_jump_is_written_as_it_is(header: str, loop: str, jump: str):
    main = f"{header}\n    if n > 2:\n        {jump}\n    out = self.grow(x, out)\nreturn out"
    made = body(main, params=GROWING)
    assert f"{loop} (" in made
    assert f"{jump};" in made


def test_what_a_loop_carries_is_after_a_jump_what_the_iteration_began_with():
    loop = "last = 0\nfor i in pl.range(4):\n    if i == n:\n        break\n    last = i\n"
    made = body(f"{loop}pl.tensor.write(out, [last, 0], 1.0)\nreturn out", params=GROWING)
    assert made.count(" = i;") == 1
    assert made.index("for (") < made.index("break;") < made.index(" = i;")


def test_a_task_behind_the_loop_waits_only_for_tasks_that_were_launched():
    main = """
    buffer = pl.create_tensor([16, 16], dtype=pl.FP32)
    for i in pl.range(4):
        if i == n:
            break
        buffer = self.copy(x, buffer)
    out = self.copy(buffer, out)
    return out
    """
    made = body(derived(main, params=f"x: {T}, out: pl.Out[{T}], n: pl.Scalar[pl.INDEX]"))
    assert "is_valid()" in made
