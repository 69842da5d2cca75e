# SPDX-License-Identifier: Apache-2.0
"""Public questions about chips are answered from the hardware descriptions."""

from __future__ import annotations

import pytest

from pypto_build.compat.backend_state import HARDWARE, BackendType, reset_for_testing
from pypto_build.compat.backends import Backend910B, Backend950, get_backend_instance, get_handler
from pypto_build.compat.soc import Cluster, Core, Die, Mem, SoC
from pypto_build.ir import CoreType, DataType, MemorySpace


def test_there_is_one_object_for_a_chip() -> None:
    assert Backend910B.instance() is get_backend_instance(BackendType.Ascend910B)


def test_a_path_has_the_fewest_moves() -> None:
    path = Backend910B.instance().find_mem_path(MemorySpace.DDR, MemorySpace.Left)
    assert path == [MemorySpace.DDR, MemorySpace.Mat, MemorySpace.Left]


def test_there_is_no_path_into_memory_that_the_chip_lacks() -> None:
    assert Backend910B.instance().find_mem_path(MemorySpace.DDR, MemorySpace.LeftScale) == []


@pytest.mark.parametrize("kind", BackendType)
def test_the_parts_of_a_chip_add_up_to_its_cores(kind: BackendType) -> None:
    hardware = HARDWARE[kind]
    backend = get_backend_instance(kind)
    assert backend.soc.total_core_count() == hardware.cube_cores + hardware.vector_cores
    assert backend.get_core_count(CoreType.VECTOR) == hardware.vector_cores


def test_parts_multiply() -> None:
    core = Core(CoreType.CUBE, [Mem(MemorySpace.Left, 1024, 64)])
    chip = SoC(Die(Cluster(core, 2), 3), 2)
    assert (chip.total_die_count(), chip.total_cluster_count(), chip.total_core_count()) == (2, 6, 12)


def test_only_the_newer_chip_makes_a_bias_of_bf16() -> None:
    answers = [
        backend.get_handler().supports_mat_to_bias_move(DataType.BF16, DataType.FP32)
        for backend in (Backend910B.instance(), Backend950.instance())
    ]
    assert answers == [False, True]


def test_asking_for_the_chosen_chip_needs_a_choice() -> None:
    reset_for_testing()
    with pytest.raises(ValueError, match="not configured"):
        get_handler()
