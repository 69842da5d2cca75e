# SPDX-License-Identifier: Apache-2.0
"""Barriers, flags, events, tasks and the pipes between cores."""

import pytest

from pypto_build.ir import ConstInt, PipeType, const_index
from pypto_build.ops import builtin_registry
from pypto_build.ops.build import system
from tests.unit.ops.parts import BOOL, FP32, INT32, INT64, N, scalar, shown, tensor, tile

WORKSPACE = tensor(64, dtype=INT32)


@pytest.mark.parametrize("build", [system.bar_all, system.bar_m, system.bar_v, system.fence])
def test_a_barrier_has_neither_operands_nor_attributes(build):
    made = build()
    assert (made.args, dict(made.kwargs)) == ((), {})


def test_a_flag_is_between_two_pipes():
    made = system.sync_src(set_pipe=PipeType.MTE2, wait_pipe=PipeType.V, event_id=0)
    assert dict(made.kwargs) == {"set_pipe": int(PipeType.MTE2), "wait_pipe": int(PipeType.V), "event_id": 0}


def test_an_event_is_a_number_or_a_value():
    assert dict(system.sync_wait(3, pipe=PipeType.V).kwargs) == {"pipe": int(PipeType.V), "event_id": 3}
    assert system.sync_set(const_index(3), pipe=PipeType.V).kwargs["event_id"] == 3
    assert system.sync_set(N, pipe=PipeType.V).args == (N,)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: system.sync_set(16, pipe=PipeType.V), r"event_id must be in \[0, 13\], but got 16"),
        (lambda: system.sync_set(scalar(INT32), pipe=PipeType.V), "requires a dynamic event_id of type"),
        (lambda: system.sync_set(0, pipe=PipeType.V, ffts_mode=3), "ffts_mode must be 0, 1 or 2, but got 3"),
        (lambda: system.sync_wait(0, pipe=PipeType.V, core_type="host"), "core_type must be one of"),
        (lambda: system.set_ffts(tensor(256, dtype=INT32)), "requires an INT64 workspace, but got int32"),
        (lambda: system.set_ffts(tensor(64, dtype=INT64)), "requires a workspace of at least 256 elements"),
        (lambda: system.task_is_valid(N), "requires a task id"),
        (lambda: system.syncall(mode="firm"), "mode must be one of"),
        (lambda: system.syncall(core_type="host"), "core_type must be one of"),
        (lambda: system.syncall(gm_workspace=WORKSPACE), "only with mode='soft'"),
        (lambda: system.syncall(mode="soft", used_cores=2), "requires a gm_workspace"),
        (lambda: system.syncall(mode="soft", gm_workspace=WORKSPACE), "requires an explicit used_cores"),
        (lambda: system.syncall(mode="soft", gm_workspace=WORKSPACE, used_cores=-1), "INT32 range"),
        (lambda: system.syncall(mode="soft", gm_workspace=tensor(64), used_cores=2), "requires an INT32 gm_workspace"),
        (lambda: system.syncall(mode="soft", gm_workspace=WORKSPACE, used_cores=N), "used_cores of type INT32"),
        (lambda: system.cacheinvalid(tensor(4, 8)), "requires shapes and offsets"),
        (lambda: system.cacheinvalid(None, [4, 8], [0, 0]), "whole-GM form takes no shapes/offsets"),
        (lambda: system.cacheinvalid(tensor(4, 8), [4], [0, 0]), "shapes must match tensor rank 2, got 1"),
        (
            lambda: system.aic_initialize_pipe(dir_mask=1, slot_size=8, slot_num=0),
            "slot_num must be positive, but got 0",
        ),
        (
            lambda: system.aiv_initialize_pipe(dir_mask=1, slot_size=64, slot_num=2, local_slot_num=4),
            "local_slot_num must be at most slot_num, but got 4 > 2",
        ),
    ],
)
def test_what_the_hardware_does_not_have_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_extents_of_a_cache_line_are_integers():
    with pytest.raises(TypeError, match="shapes must be integers"):
        system.cacheinvalid(tensor(4, 8), [4, 8.0], [0, 0])


def test_a_hard_barrier_says_only_who_takes_part():
    assert dict(system.syncall().kwargs) == {"core_type": "mix"}


@pytest.mark.parametrize(("cores", "operands"), [(2, 2), (0, 1), (ConstInt(2, INT32), 2), (scalar(INT32), 2)])
def test_a_soft_barrier_counts_in_a_workspace(cores, operands):
    made = system.syncall(mode="soft", gm_workspace=WORKSPACE, used_cores=cores)
    assert len(made.args) == operands
    assert made.kwargs["mode"] == "soft"
    assert all(arg.type.dtype is INT32 for arg in made.args)


def test_a_task_that_only_waits_names_what_it_waits_for():
    first = system.task_invalid()
    assert system.task_dummy(deps=[first]).attrs["manual_dep_edges"] == (first,)
    assert not system.task_dummy(deps=[]).attrs


def test_a_task_can_be_asked_whether_it_is_one():
    assert shown(system.task_is_valid(system.task_invalid())) == f"Scalar[{BOOL.attribute}]"


@pytest.mark.parametrize("build", [system.available_aiv_count, system.available_cluster_count])
def test_cores_are_counted_by_a_number_of_32_bits(build):
    assert build().type.dtype is INT32


def test_the_cache_is_dropped_as_a_whole_or_at_a_region():
    assert not system.cacheinvalid().args
    assert len(system.cacheinvalid(tensor(4, 8), [1, 8], [N, 0]).args) == 3


def test_buffers_of_a_pipe_are_numbers_of_32_bits():
    made = system.aic_initialize_pipe(0, scalar(INT32), dir_mask=3, slot_size=512)
    assert [arg.type.dtype for arg in made.args] == [INT32, INT32]
    assert dict(made.kwargs) == {"dir_mask": 3, "slot_size": 512}


def test_a_buffer_is_reserved_on_one_side_and_imported_on_the_other():
    assert system.reserve_buffer(name="ring", size=1024).kwargs["base"] == system.AUTO
    assert dict(system.import_peer_buffer(name="ring", peer_func="cube").kwargs) == {
        "name": "ring",
        "peer_func": "cube",
    }


def test_only_a_popped_tile_has_a_slot_to_free():
    popped = system.tpop_from_aic(shape=[16, 16], dtype=FP32, split=0)
    assert system.tfree_to_aic(popped).args == (popped,)
    with pytest.raises(ValueError, match="tfree_to_aic"):
        system.tfree_to_aic(N)


def test_every_operation_of_the_namespace_has_a_builder():
    names = {name.removeprefix("system.") for name in builtin_registry().names if name.startswith("system.")}
    assert names <= set(system.__all__)


def test_a_tile_is_pushed_from_here_too():
    assert system.tpush_to_aiv(tile(16, 16), split=0).op.name == "tile.tpush_to_aiv"
