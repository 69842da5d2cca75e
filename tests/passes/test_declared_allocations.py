# SPDX-License-Identifier: Apache-2.0
"""Allocations that the author declares: kept apart from all others, and never written while they are still needed."""

import pytest

from pypto_build.errors import UserError
from tests.passes.tile_places import TO_REUSE, after, kernel, sharing, sizes


def bound(name: str, place: str, value: str) -> str:
    """An assignment of a tile that is bound to a declaration."""
    return f"{name}: pl.Tile[[16, 16], pl.FP32, {place}, pl.Mem.Vec] = {value}\n"


PING, PONG = 'pl.MemRef("ping")', 'pl.MemRef("pong")'


def test_tiles_of_different_declarations_never_share():
    body = bound("a", PING, "LOAD") + "s = pl.tile.store(a, [0, 0], out)\n" + bound("b", PONG, "LOAD") + "STORE(b)"
    assert sharing(after(TO_REUSE, kernel(body))) == "a / b"


def test_tiles_of_one_declaration_share():
    body = bound("a", PING, "LOAD") + bound("b", PONG, "pl.tile.exp(a)") + bound("d", PING, "pl.tile.exp(b)")
    assert sharing(after(TO_REUSE, kernel(body + "STORE(d)"))) == "a d / b"


def test_nothing_else_moves_into_a_declaration():
    body = bound("a", PING, "LOAD") + "b: Vec16 = pl.tile.exp(a)\nd: Vec16 = pl.tile.exp(b)\nSTORE(d)"
    assert sharing(after(TO_REUSE, kernel(body))) == "a / b d"


def test_a_carry_that_starts_in_a_declaration_stays_there():
    body = bound("a", PING, "LOAD") + (
        "for i, (acc,) in pl.range(4, init_values=(a,)):\n"
        "    b: Vec16 = pl.tile.exp(acc)\n"
        "    y: Vec16 = pl.yield_(b)\nSTORE(y)"
    )
    assert sharing(after(TO_REUSE, kernel(body))) == "a acc y b"


def test_a_slot_must_not_take_a_tile_while_it_holds_one():
    body = bound("a", PING, "LOAD") + bound("b", PING, "pl.tile.exp(a)") + "d: Vec16 = pl.tile.add(a, b)\nSTORE(d)"
    with pytest.raises(UserError, match=r"'a' and 'b' are live at the same time in .* 'ping'") as error:
        after(TO_REUSE, kernel(body))
    assert (error.value.code, error.value.span.begin_line) == ("MEM007", 6)


def test_a_planner_that_skips_reuse_is_told_as_well():
    body = bound("a", PING, "LOAD") + bound("b", PING, "pl.tile.exp(a)") + "d: Vec16 = pl.tile.add(a, b)\nSTORE(d)"
    with pytest.raises(UserError, match="live at the same time"):
        after(TO_REUSE[:2], kernel(body), planner="dsa_rp")


def test_the_size_is_that_of_the_largest_tile():
    body = bound("a", PING, "LOAD") + "s = pl.tile.store(a, [0, 0], out)\n"
    small = 'b: pl.Tile[[4, 8], pl.FP32, pl.MemRef("ping"), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [4, 8])\n'
    assert sizes(after(TO_REUSE, kernel(body + small + "STORE(b)"))) == [1024]
