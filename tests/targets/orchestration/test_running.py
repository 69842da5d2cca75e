# SPDX-License-Identifier: Apache-2.0
"""Generated sources run: which tensors the tasks of a loop take. Parameters are 0, 1, ..., created ones 10, 11, ..."""

from __future__ import annotations

from tests.targets.orchestration.generating import T, program
from tests.targets.orchestration.running import launches

BOTH = f"x: pl.InOut[{T}], out: pl.InOut[{T}]"


def tasks(main: str, **options: str) -> list[str]:
    """The launches of a program, each as `kernel: tensors`."""
    return launches(program(main, **options))


def test_two_parameters_change_places_in_every_iteration():
    """CIC-42"""
    main = """
        for i, (a, b) in pl.range(4, init_values=(x, out)):
            done = self.copy(a, b)
            c, d = pl.yield_(done, a)
        last = self.copy(c, d)
        return last
    """
    assert tasks(main, params=BOTH) == ["0: 0 1", "0: 1 0", "0: 0 1", "0: 1 0", "0: 0 1"]


def test_three_parameters_go_round_in_a_circle():
    """CIC-42"""
    main = """
        for i, (a, b, c) in pl.range(4, init_values=(x, out, third)):
            done = self.grow(a, b)
            d, e, f = pl.yield_(b, c, a)
        return d
    """
    found = tasks(main, params=f"{BOTH}, third: pl.InOut[{T}]")
    assert found == ["0: 0 1", "0: 1 2", "0: 2 0", "0: 0 1"]


def test_every_iteration_reads_what_the_one_before_made():
    """CIC-37"""
    main = """
        state = x
        for i in pl.range(3):
            fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
            state = self.copy(state, fresh)
        out = self.copy(state, out)
        return out
    """
    assert tasks(main) == ["0: 0 10", "0: 10 11", "0: 11 12", "0: 12 1"]


def test_a_buffer_that_is_updated_in_place_stays_itself():
    """CIC-36"""
    main = """
        for i, (acc,) in pl.range(3, init_values=(out,)):
            new = self.grow(x, acc)
            last = pl.yield_(new)
        return last
    """
    assert tasks(main) == ["0: 0 1", "0: 0 1", "0: 0 1"]
