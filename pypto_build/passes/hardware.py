# SPDX-License-Identifier: Apache-2.0
"""Hardware descriptions: everything a pass, target or simulator may know about a chip, as data.

Sizes are in bytes. Source: the public SoC tables (on-chip buffers, cores, access granularity, native casts).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pypto_build.errors import UserError
from pypto_build.ir import DataType, MemorySpace
from pypto_build.passes.instructions import CASTS_910B, CASTS_950, ROW_MAJOR, Casts

_S = MemorySpace
KIB = 1024


@dataclass(frozen=True, slots=True)
class Buffer:
    """One on-chip memory: usable bytes per core and the alignment of an allocation."""

    capacity: int
    alignment: int


@dataclass(frozen=True, slots=True)
class HardwareDescription:
    """One chip generation."""

    name: str
    arch: str  # the assembler's word for it
    buffers: Mapping[MemorySpace, Buffer]
    cube_cores: int
    vector_cores: int
    vector_per_cube: int
    moves: frozenset[tuple[MemorySpace, MemorySpace]]  # legal single-hop moves
    innermost_bytes: int  # recommended innermost extent of a global-memory access
    cache_line_bytes: int
    load_pop_in_place_hazard: bool  # a tile popped from the other core must not alias a loaded one
    pipe_through_global_memory: bool  # cross-core pipes need a workspace in global memory
    narrow_floats_in_core: bool  # FP8, HF8 and FP4 may be computed with
    bf16_atomic_add: bool  # stores may add BF16 to global memory atomically
    flat_gather: bool  # one gather may pick from all rows of a tile, not only from a single one
    accumulator_stores: tuple[DataType, ...]  # what an accumulator becomes on its way to global memory
    native_casts: Casts  # (from, to) that one instruction converts; empty where nothing is known
    row_major: Mapping[str, tuple[int, ...]]  # arguments of operations that must lie row by row, as the result must
    _key: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_key", self._all_facts())

    def key(self) -> str:
        """Text that changes when any fact of the description does."""
        return self._key

    def _all_facts(self) -> str:
        buffers = {s.name: (b.capacity, b.alignment) for s, b in self.buffers.items()}
        moves = sorted((a.name, b.name) for a, b in self.moves)
        casts = sorted((a.attribute, b.attribute) for a, b in self.native_casts)
        rest = [getattr(self, name) for name in _PLAIN]
        return repr((rest, sorted(buffers.items()), moves, casts, sorted(self.row_major.items())))

    def capacity(self, space: MemorySpace) -> int | None:
        """Usable bytes of a memory space on one core; None where there is no bound."""
        buffer = self.buffers.get(space)
        return buffer.capacity if buffer else None

    def alignment(self, space: MemorySpace) -> int:
        """Alignment of an allocation in a memory space."""
        buffer = self.buffers.get(space)
        return buffer.alignment if buffer else 32


_PLAIN = (
    "name",
    "arch",
    "cube_cores",
    "vector_cores",
    "vector_per_cube",
    "innermost_bytes",
    "cache_line_bytes",
    "load_pop_in_place_hazard",
    "pipe_through_global_memory",
    "narrow_floats_in_core",
    "bf16_atomic_add",
    "flat_gather",
    "accumulator_stores",
)

_ACCUMULATOR_STORES = (DataType.INT32, DataType.FP32, DataType.FP16, DataType.BF16)

_MOVES_910B = frozenset(
    {
        (_S.DDR, _S.Vec),
        (_S.DDR, _S.Mat),
        (_S.Vec, _S.DDR),
        (_S.Mat, _S.Left),
        (_S.Mat, _S.Right),
        (_S.Mat, _S.Bias),
        (_S.Acc, _S.Mat),
        (_S.Acc, _S.DDR),
    }
)

ASCEND910B = HardwareDescription(
    name="ascend910b",
    arch="a2a3",
    buffers=MappingProxyType(
        {
            _S.Vec: Buffer(184 * KIB, 32),  # 192 KiB physical, the top 8 KiB are reserved
            _S.Mat: Buffer(512 * KIB, 32),
            _S.Left: Buffer(64 * KIB, 32),
            _S.Right: Buffer(64 * KIB, 32),
            _S.Acc: Buffer(128 * KIB, 32),
            _S.Bias: Buffer(1 * KIB, 32),
        }
    ),
    cube_cores=24,
    vector_cores=48,
    vector_per_cube=2,
    moves=_MOVES_910B,
    innermost_bytes=512,
    cache_line_bytes=512,
    load_pop_in_place_hazard=True,
    pipe_through_global_memory=True,
    narrow_floats_in_core=False,
    bf16_atomic_add=True,
    flat_gather=False,
    accumulator_stores=_ACCUMULATOR_STORES,
    native_casts=CASTS_910B,
    row_major=ROW_MAJOR,
)

ASCEND950 = HardwareDescription(
    name="ascend950",
    arch="a5",
    buffers=MappingProxyType(
        {
            _S.Vec: Buffer(240 * KIB, 32),  # 248 KiB physical, the top 8 KiB are reserved
            _S.Mat: Buffer(512 * KIB, 32),
            _S.Left: Buffer(64 * KIB, 32),
            _S.Right: Buffer(64 * KIB, 32),
            _S.Acc: Buffer(256 * KIB, 32),
            _S.Bias: Buffer(4 * KIB, 32),
            _S.LeftScale: Buffer(4 * KIB, 32),
            _S.RightScale: Buffer(4 * KIB, 32),
        }
    ),
    cube_cores=36,
    vector_cores=72,
    vector_per_cube=2,
    moves=_MOVES_910B | {(_S.Vec, _S.Mat), (_S.Acc, _S.Vec), (_S.Mat, _S.LeftScale), (_S.Mat, _S.RightScale)},
    innermost_bytes=128,
    cache_line_bytes=512,
    load_pop_in_place_hazard=False,
    pipe_through_global_memory=False,
    narrow_floats_in_core=True,
    bf16_atomic_add=False,
    flat_gather=True,
    accumulator_stores=_ACCUMULATOR_STORES,
    native_casts=CASTS_950,
    row_major=ROW_MAJOR,
)

HARDWARE: Mapping[str, HardwareDescription] = MappingProxyType({h.name: h for h in (ASCEND910B, ASCEND950)})


def hardware_by_name(name: str) -> HardwareDescription:
    """The description of this name; UserError for an unknown one."""
    found = HARDWARE.get(name)
    if found is None:
        raise UserError("HW001", f"unknown hardware {name!r}", help=f"known: {', '.join(sorted(HARDWARE))}")
    return found
