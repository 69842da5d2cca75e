# SPDX-License-Identifier: Apache-2.0
"""What `pypto.testing` tells of operations and of the memory planner."""

from pypto_passes.init_mem_ref import InitMemRef

from pypto_build.compat import testing
from pypto_build.ir import Call, PipeType, collect
from pypto_build.passes import apply_pass
from tests.passes.tile_places import function_of, kernel

KERNEL = kernel("a: Vec16 = CREATE\nb: Vec16 = pl.tile.exp(a)\nd: Vec16 = LOAD\nSTORE(d)")


def test_the_pipe_of_a_call_is_a_number_or_none():
    create, exp, load, _ = collect(function_of(KERNEL).body, Call)
    assert [testing.try_infer_pipe(call) for call in (create, exp, load)] == [None, PipeType.V, PipeType.MTE2]


def test_penalties_are_told_before_anything_is_placed():
    found = testing.recognize_dsa_reuse_penalties(function_of(apply_pass(InitMemRef(), KERNEL)))
    assert {"first_name": "b", "second_name": "d", "cost": 1} in found
