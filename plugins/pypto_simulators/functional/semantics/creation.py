# SPDX-License-Identifier: Apache-2.0
"""Tensors and tiles that come out of nothing: empty ones, constants, sequences, triangles; and padding of the rest."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pypto_build.ir import MemorySpace, PadValue
from pypto_simulators.functional.numbers import convert, pad_number, unwritten
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import scalar_operand, tensors, tiles, twins
from pypto_simulators.functional.values import Block, Value, region


def _created(op: Operation) -> Value:
    dtype = op.result_type.dtype
    block = Block(unwritten(op.extents(0), dtype), dtype, valid=op.frame.valid_of(op.result_type))
    initial = op.kwargs.get("init_value")
    if isinstance(initial, int | float):
        block.data[...] = convert(np.asarray(initial), dtype)
    return block


def _full(op: Operation) -> Value:
    dtype = op.result_type.dtype
    return op.made(np.full(op.extents(0), convert(np.asarray(op.number(1)), dtype)))


def _sequence(op: Operation) -> Value:
    shape, dtype = op.extents(1), op.result_type.dtype
    steps = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
    start = int(op.number(0))
    return op.made(convert(start - steps if op.flag("descending") else start + steps, dtype))


def _triangle(op: Operation) -> Value:
    """Ones where the column is at most the row plus the diagonal; with `upper`, at least."""
    shape, diagonal = op.extents(1), int(op.number(0))
    rows, columns = np.indices(shape)
    ones = columns - rows >= diagonal if op.flag("upper") else columns - rows <= diagonal
    return op.made(ones.astype(np.int8))


def pad_of(op: Operation) -> PadValue:
    """The pad value that an operation names; zero where it names none."""
    pad = op.kwargs.get("pad_value", PadValue.zero)
    return pad if isinstance(pad, PadValue) and pad is not PadValue.null else PadValue.zero


def _padded(op: Operation) -> Value:
    """Everything valid, a pad value where nothing was; in a larger shape if one is given."""
    source = op.block(0)
    shape = op.extents(1) if op.has(1) else source.shape
    if any(extent < valid for extent, valid in zip(shape, source.valid, strict=True)):
        raise op.error(f"pads {list(source.valid)} to {list(shape)}")
    made: Any = np.full(shape, pad_number(pad_of(op), source.dtype), source.data.dtype)
    made[region(source.valid)] = source.valid_data()
    return op.made(made)


def _allocated(op: Operation) -> Value:
    frame = op.frame
    if frame.memory is None:
        frame.memory = frame.machine.memory()
    space = op.number(0)
    space = space if isinstance(space, MemorySpace) else MemorySpace(int(space))
    return frame.memory.allocate(space, int(op.number(1)), op.span)


def _random(op: Operation) -> Value:
    """Philox-like bits from key and counter: the same words give the same bits, other ones others."""
    words = [int(op.number(i)) & 0xFFFFFFFF for i in range(6)]
    shape, dtype = op.extents(6), op.result_type.dtype
    generator = np.random.Generator(np.random.Philox(key=words[:2], counter=words[2:]))
    bits = generator.integers(0, 1 << 32, shape, dtype=np.uint32)
    return op.made(scalar_operand(bits.astype(np.int64), dtype))


TABLE: Final[dict[str, Semantics]] = {
    **twins({"create": _created, "full": _full, "ci": _sequence, "alloc": _allocated, "random": _random}),
    **twins({"fillpad": _padded, "fillpad_expand": _padded}),
    **tiles({"tri": _triangle, "fillpad_inplace": _padded}),
    **tensors({"create_l1": _created}),
}
