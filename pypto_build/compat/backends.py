# SPDX-License-Identifier: Apache-2.0
"""`pypto.backend`'s backends: questions about a chip, answered from its hardware description."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pypto_build.compat.backend_state import HARDWARE, BackendType, get_backend_type
from pypto_build.compat.soc import SoC, chip
from pypto_build.ir import CoreType, DataType, MemorySpace
from pypto_build.passes import HardwareDescription

_FRACTAL: Final = 16  # elements along one side of a cube unit's block


@dataclass(frozen=True, slots=True)
class _Words:
    """What the tools around a chip call things."""

    name: str
    dies: int
    launch: str
    assembler: str
    accumulator_rows: int  # alignment of the rows of integer accumulators
    bias_from: tuple[DataType, ...]  # what may become an FP32 bias


_WORDS: Final = {
    BackendType.Ascend910B: _Words("910B", 1, "set_block_num", "a3", 32, (DataType.FP32, DataType.FP16)),
    BackendType.Ascend950: _Words("950", 2, "set_core_num", "a5", 16, (DataType.FP32, DataType.FP16, DataType.BF16)),
}


class BackendHandler:
    """What differs between chips."""

    def __init__(self, hardware: HardwareDescription, words: _Words) -> None:
        self._hardware = hardware
        self._words = words

    def get_pto_target_arch(self) -> str:
        """The architecture of generated code."""
        return self._hardware.arch

    def get_launch_spec_core_count_method(self) -> str:
        """What sets the number of cores of a launch."""
        return self._words.launch

    def get_default_sim_platform(self) -> str:
        """The simulator of the chip."""
        return f"{self._hardware.arch}sim"

    def get_extra_ptoas_flags(self) -> list[str]:
        """Options of the assembler."""
        return ["--pto-arch", self._words.assembler]

    def requires_gm_pipe_buffer(self) -> bool:
        """Whether pipes between cores go through global memory."""
        return self._hardware.pipe_through_global_memory

    def requires_split_load_tpop_workaround(self) -> bool:
        """Whether a popped tile must not alias a loaded one."""
        return self._hardware.load_pop_in_place_hazard

    def requires_vto_c_fractal_adapt(self) -> bool:
        """Whether a transfer from vector to cube changes the layout."""
        return not self._hardware.pipe_through_global_memory

    def requires_runtime_subblock_bridge(self) -> bool:
        """Whether the runtime hands the sub-block index in."""
        return self._hardware.pipe_through_global_memory

    def requires_no_split_dual_aiv_dispatch(self) -> bool:
        """Whether an unsplit kernel runs on both vector cores."""
        return self._hardware.pipe_through_global_memory

    def get_gm_access_granularity_bytes(self) -> int:
        """The extent of one access to global memory."""
        return self._hardware.innermost_bytes

    def get_l2_cache_line_bytes(self) -> int:
        """The length of a cache line."""
        return self._hardware.cache_line_bytes

    def get_recommended_innermost_dim_bytes(self) -> int:
        """The innermost extent that uses the bandwidth."""
        return self._hardware.innermost_bytes

    def get_l0a_capacity_bytes(self) -> int:
        """The memory of left operands."""
        return self._capacity(MemorySpace.Left)

    def get_l0b_capacity_bytes(self) -> int:
        """The memory of right operands."""
        return self._capacity(MemorySpace.Right)

    def get_l0c_capacity_bytes(self) -> int:
        """The memory of accumulators."""
        return self._capacity(MemorySpace.Acc)

    def get_bias_capacity_bytes(self) -> int:
        """The bias table."""
        return self._capacity(MemorySpace.Bias)

    def get_mat_capacity_bytes(self) -> int:
        """The memory of matrices."""
        return self._capacity(MemorySpace.Mat)

    def supports_mat_to_bias_move(self, source_dtype: DataType, bias_dtype: DataType) -> bool:
        """Whether a matrix of one type becomes a bias of another."""
        if bias_dtype is DataType.FP32:
            return source_dtype in self._words.bias_from
        return source_dtype is bias_dtype is DataType.INT32

    def get_l0_fractal_alignment(self) -> int:
        """The multiple that tiles of the cube unit are padded to."""
        return _FRACTAL

    def get_l0c_m_alignment(self, accumulator_dtype: DataType) -> int:
        """The multiple that rows of an accumulator are padded to."""
        return self._words.accumulator_rows if accumulator_dtype is DataType.INT32 else _FRACTAL

    def get_min_l0_tile_dim(self) -> int:
        """The smallest tile of the cube unit."""
        return _FRACTAL

    def _capacity(self, space: MemorySpace) -> int:
        return self._hardware.capacity(space) or 0


class Backend:
    """One chip."""

    def __init__(self, hardware: HardwareDescription, words: _Words) -> None:
        self._hardware = hardware
        self._words = words
        self._handler = BackendHandler(hardware, words)
        self.soc: SoC = chip(hardware, dies=words.dies)

    def get_type_name(self) -> str:
        """The chip's name."""
        return self._words.name

    def get_handler(self) -> BackendHandler:
        """What differs between chips."""
        return self._handler

    def export_to_file(self, path: str) -> None:
        """Write the description of the chip as text."""
        Path(path).write_text(self._hardware.key(), encoding="utf-8")

    def find_mem_path(self, from_mem: MemorySpace, to_mem: MemorySpace) -> list[MemorySpace]:
        """The fewest moves from one memory to another; empty when there is no way."""
        waiting, seen = deque([[from_mem]]), {from_mem}
        while waiting:
            path = waiting.popleft()
            if path[-1] is to_mem:
                return path
            for space in MemorySpace:
                if (path[-1], space) in self._hardware.moves and space not in seen:
                    seen.add(space)
                    waiting.append([*path, space])
        return []

    def get_mem_size(self, mem_type: MemorySpace) -> int:
        """The usable bytes of a memory on one core; none for global memory."""
        return self._hardware.capacity(mem_type) or 0

    def get_core_count(self, core_type: CoreType) -> int:
        """How many cores of a kind there are."""
        return self._hardware.cube_cores if core_type is CoreType.CUBE else self._hardware.vector_cores


class Backend910B(Backend):
    """The 910B."""

    @staticmethod
    def instance() -> Backend:
        """The only one."""
        return get_backend_instance(BackendType.Ascend910B)


class Backend950(Backend):
    """The 950."""

    @staticmethod
    def instance() -> Backend:
        """The only one."""
        return get_backend_instance(BackendType.Ascend950)


_CLASSES: Final = {BackendType.Ascend910B: Backend910B, BackendType.Ascend950: Backend950}


@cache
def get_backend_instance(backend_type: BackendType) -> Backend:
    """The backend of a chip, chosen or not."""
    return _CLASSES[backend_type](HARDWARE[backend_type], _WORDS[backend_type])


def get_handler() -> BackendHandler:
    """What differs between chips, for the chosen one; ValueError when none is chosen."""
    return get_backend_instance(get_backend_type()).get_handler()
