# SPDX-License-Identifier: Apache-2.0
"""What passes between compiled orchestrations and their host, as ctypes: the header's structures, field by field."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pypto_build.ir import DataType

MAX_DIMS = 5
NO_TASK = 2**64 - 1
DTYPES = (
    *(DataType.FP32, DataType.FP16, DataType.INT32, DataType.INT16, DataType.INT8, DataType.UINT8, DataType.BF16),
    *(DataType.INT64, DataType.UINT64, DataType.UINT16, DataType.UINT32, DataType.BOOL),
    *(DataType.FP8E4M3FN, DataType.FP8E5M2, DataType.FP8E8M0, DataType.HF8, DataType.FP4),
)
"""Element types by the number that the runtime gives them."""


class ChipTensor(ctypes.Structure):
    """Elements in memory."""

    _fields_ = (
        ("address", ctypes.c_uint64),
        ("owner_task_id", ctypes.c_uint64),
        ("start_offset", ctypes.c_uint64),
        ("ndims", ctypes.c_uint32),
        ("dtype", ctypes.c_uint8),
        ("manual_dep", ctypes.c_bool),
        ("is_contiguous", ctypes.c_bool),
        ("shapes", ctypes.c_uint32 * MAX_DIMS),
        ("strides", ctypes.c_uint32 * MAX_DIMS),
    )


class ChipTaskArgs(ctypes.Structure):
    """The arguments of an orchestration function."""

    _fields_ = (
        ("tensors", ctypes.POINTER(ChipTensor)),
        ("tensor_count", ctypes.c_uint32),
        ("scalars", ctypes.POINTER(ctypes.c_uint64)),
        ("scalar_count", ctypes.c_uint32),
    )


class Predicate(ctypes.Structure):
    """An element of a tensor, read when a task is due, compared with a number."""

    _fields_ = (
        ("tensor", ctypes.POINTER(ChipTensor)),
        ("ndims", ctypes.c_uint32),
        ("indices", ctypes.c_uint32 * MAX_DIMS),
        ("op", ctypes.c_uint8),
        ("target", ctypes.c_int64),
    )


class Submission(ctypes.Structure):
    """A task."""

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("kernels", ctypes.c_int32 * 3),
        ("is_manual", ctypes.c_int32),
        ("tensor_count", ctypes.c_uint32),
        ("scalar_count", ctypes.c_uint32),
        ("dependency_count", ctypes.c_uint32),
        ("tensors", ctypes.POINTER(ChipTensor)),
        ("modes", ctypes.POINTER(ctypes.c_uint8)),
        ("scalars", ctypes.POINTER(ctypes.c_uint64)),
        ("dependencies", ctypes.POINTER(ctypes.c_uint64)),
        ("predicate", ctypes.POINTER(Predicate)),
        ("blocks", ctypes.c_int64),
        ("sync_start", ctypes.c_int32),
    )


Allocate = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)
Submit = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.POINTER(Submission))
Settle = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ChipTensor), ctypes.c_void_p, ctypes.c_int32)


class HostApi(ctypes.Structure):
    """What the host does for a shared object."""

    _fields_ = (("allocate", Allocate), ("submit", Submit), ("settle", Settle))


@dataclass(frozen=True, slots=True)
class Orchestration:
    """An orchestration function in a shared object."""

    binary: ctypes.CDLL
    name: str

    def run(self, host: Host, tensors: Sequence[ChipTensor], scalars: Sequence[int]) -> None:
        """Run it with arguments that come from outside.

        Raises:
            Refusal: it does something that the interface forbids.
            Exception: whatever the host raises.
        """
        tensor_array, scalar_array = (ChipTensor * len(tensors))(*tensors), (ctypes.c_uint64 * len(scalars))(*scalars)
        args = ChipTaskArgs(tensor_array, len(tensors), scalar_array, len(scalars))
        door = self.binary.run_orchestration
        door.restype = ctypes.c_char_p
        entry = ctypes.cast(getattr(self.binary, self.name), ctypes.c_void_p)
        refusal = door(entry, ctypes.byref(host.api), ctypes.byref(args))
        if host.problem is not None:
            raise host.problem
        if refusal is not None:
            raise Refusal(refusal.decode())


class Refusal(Exception):
    """What an orchestration does that the interface forbids."""


class Host:
    """Three functions as a shared object calls them; an exception of one ends the run and is kept in `problem`."""

    def __init__(
        self,
        allocate: Callable[[int], int],
        submit: Callable[[Any], int],
        settle: Callable[[Any, int, bool], None],
    ) -> None:
        self.problem: Exception | None = None
        self.api = HostApi(
            Allocate(lambda size: self._answer(lambda: allocate(size))),
            Submit(lambda task: self._answer(lambda: submit(task.contents))),
            Settle(lambda tensor, at, writes: self._answer(lambda: settle(tensor.contents, at, bool(writes)) or 1)),
        )

    def _answer(self, question: Callable[[], int]) -> int:
        try:
            return question()
        except Exception as problem:  # it cannot fly through C++; `run` raises it
            self.problem = problem
            return 0
