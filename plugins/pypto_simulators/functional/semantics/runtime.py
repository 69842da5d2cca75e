# SPDX-License-Identifier: Apache-2.0
"""Where a kernel runs, tasks, arrays on the core's stack, and synchronisation, which a sequential run has by itself."""

from __future__ import annotations

from typing import Any, Final

from pypto_build.ir import DataType
from pypto_simulators.functional.errors import OUT_OF_BOUNDS
from pypto_simulators.functional.numbers import as_number
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import twins
from pypto_simulators.functional.values import NO_TASK, TaskId, Value


def _nothing(_: Operation) -> Value:
    return None


def _block_index(op: Operation) -> Value:
    return op.frame.launch.block


def _block_count(op: Operation) -> Value:
    return op.frame.launch.blocks


def _lane(op: Operation) -> Value:
    return op.frame.launch.lane


def _vector_cores(op: Operation) -> Value:
    return op.frame.machine.hardware.vector_cores


def _cube_cores(op: Operation) -> Value:
    return op.frame.machine.hardware.cube_cores


def _new_task(op: Operation) -> Value:
    return op.frame.machine.new_task()


def _no_task(_: Operation) -> Value:
    return NO_TASK


def _names_a_task(op: Operation) -> Value:
    return op.args[0] != NO_TASK


def _reserved(op: Operation) -> Value:
    base = op.integer("base", -1)
    return base if base >= 0 else 0


def _array(op: Operation) -> Value:
    """An array of zeros, or of handles that name no task."""
    dtype = op.dtype("dtype", DataType.INT32)
    return [NO_TASK if dtype is DataType.TASK_ID else as_number(0, dtype)] * int(op.number(0))


def _index(op: Operation, array: list[Any]) -> int:
    index = int(op.number(1))
    if not 0 <= index < len(array):
        raise op.error(f"is given index {index} for an array of {len(array)}", code=OUT_OF_BOUNDS)
    return index


def _array_element(op: Operation) -> Value:
    array = op.args[0]
    return array[_index(op, array)]


def _array_with_element(op: Operation) -> Value:
    array = list(op.args[0])
    value = op.number(2)
    dtype: Any = getattr(op.call.type, "dtype", DataType.INT32)
    array[_index(op, array)] = value if isinstance(value, TaskId) else as_number(value, dtype)
    return array


_BARRIERS: Final = ("bar_all", "bar_m", "bar_v", "cacheinvalid", "fence", "set_ffts", "sync_dst", "sync_set")
_SILENT: Final = (*_BARRIERS, "sync_src", "sync_wait", "tfree_to_aic", "tfree_to_aiv")
_PIPES: Final = ("aic_initialize_pipe", "aiv_initialize_pipe")

TABLE: Final[dict[str, Semantics]] = {
    **{f"system.{name}": _nothing for name in (*_SILENT, *_PIPES)},
    **twins({"get_block_idx": _block_index, "get_block_num": _block_count, "get_subblock_idx": _lane}),
    "system.available_aiv_count": _vector_cores,
    "system.available_cluster_count": _cube_cores,
    "system.task_dummy": _new_task,
    "system.task_invalid": _no_task,
    "system.task_is_valid": _names_a_task,
    "system.reserve_buffer": _reserved,
    "system.import_peer_buffer": _reserved,
    "array.create": _array,
    "array.get_element": _array_element,
    "array.update_element": _array_with_element,
}
