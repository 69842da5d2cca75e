# SPDX-License-Identifier: Apache-2.0
"""What the halves of a kernel begin with: rings in the directions that are used, with room for the largest tile."""

from __future__ import annotations

import pytest
from pypto_passes.pipe_setup import PipeSetup

from pypto_build.errors import UserError
from pypto_build.ir import Call, EvalStmt, MemorySpace, SeqStmts, Stmt, collect, sequence
from pypto_build.ops.build.system import aic_initialize_pipe
from pypto_build.ops.build.tile.core import tpush_to_aic, tpush_to_aiv
from tests.unit.ir.build import scalar, tile

SMALL = EvalStmt(tpush_to_aic(tile("s", 16, 16, space=MemorySpace.Vec), split=0))
LARGE = EvalStmt(tpush_to_aiv(tile("l", 16, 32, space=MemorySpace.Acc), split=0))
EMPTY = SeqStmts(())


def setup(*stmts: Stmt) -> PipeSetup:
    """The pipe that some statements need."""
    made = PipeSetup.of("k", [sequence(stmts)])
    assert made is not None
    return made


def prologue(body: Stmt) -> list[tuple[str, object]]:
    """The operations of a body, with the name of the buffer that each is about."""
    return [(call.op.name.partition(".")[2], call.kwargs.get("name")) for call in collect(body, Call)]


def test_the_slots_have_room_for_the_largest_tile_of_both_directions():
    assert (setup(SMALL, LARGE).directions, setup(SMALL, LARGE).slot_size) == (3, 2048)


@pytest.mark.parametrize(("push", "directions"), [(LARGE, 1), (SMALL, 2)])
def test_a_direction_that_nothing_takes_has_no_ring(push: EvalStmt, directions: int):
    made = setup(push)
    assert made.directions == directions
    assert len(prologue(made.on_cube(EMPTY))) == len(prologue(made.on_vector(EMPTY))) == 2


def test_the_consumer_reserves_a_ring_and_the_producer_imports_it():
    made = setup(SMALL, LARGE)
    v2c, c2v = "k_v2c_slot_buffer", "k_c2v_slot_buffer"
    pipe = "_initialize_pipe"
    cube = [("reserve_buffer", v2c), ("import_peer_buffer", c2v), (f"aic{pipe}", None)]
    vector = [("import_peer_buffer", v2c), ("reserve_buffer", c2v), (f"aiv{pipe}", None)]
    assert (prologue(made.on_cube(EMPTY)), prologue(made.on_vector(EMPTY))) == (cube, vector)


def test_a_ring_has_room_for_all_its_slots():
    made = PipeSetup.of("k", [SMALL], 5)
    assert made is not None
    (ring,) = (call for call in collect(made.on_cube(EMPTY), Call) if call.op.name == "system.reserve_buffer")
    assert ring.kwargs["size"] == 5 * 1024


def test_bodies_between_which_nothing_crosses_need_no_pipe():
    assert PipeSetup.of("k", [EMPTY]) is None


def test_a_kernel_that_sets_up_its_pipes_is_left_alone():
    pipe = EvalStmt(aic_initialize_pipe(dir_mask=1, slot_size=64))
    assert PipeSetup.of("k", [sequence([pipe, SMALL])]) is None


def test_a_tile_of_unknown_size_cannot_cross():
    push = EvalStmt(tpush_to_aic(tile("s", scalar("n"), 16, space=MemorySpace.Vec), split=0))
    with pytest.raises(UserError, match="whose size is known at compile time") as caught:
        PipeSetup.of("k", [push])
    assert caught.value.code == "CORE003"
