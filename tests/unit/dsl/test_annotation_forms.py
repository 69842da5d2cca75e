# SPDX-License-Identifier: Apache-2.0
"""Every form of type annotation, as a parameter: accepted and read back, or refused."""

from __future__ import annotations

import pytest

from pypto_build.dsl.diagnostics import ParserError
from pypto_build.dsl.text import parse
from pypto_build.ir.equal import assert_structural_equal

HEAD = """\
SIZE = 64
SHAPE = [16, 16]
ZERO = pl.PadValue.zero
TYPE = pl.FP16
WHOLE = pl.Tensor[[64], pl.FP32]
NAMED = pl.MemRef("named")
SLOTS = pl.MemRef(slots=2)

"""
KERNEL = "@pl.function(type=pl.FunctionType.InCore)\n"

ACCEPTED = (
    "pl.Tensor[[64, 64], pl.FP32]",
    "pl.Tensor((64, 64), pl.FP32)",
    "pl.Tensor[[64], pl.FP32, pl.NZ]",
    "pl.Tensor[[64], pl.FP32, pl.ND]",
    "pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[64, 1], layout=pl.ND)]",
    "pl.Tensor[[64, 64], pl.FP32, pl.TensorView(stride=[1, 64], layout=pl.DN, valid_shape=[32, 64], pad=ZERO)]",
    'pl.Tensor[[64, 64], pl.FP32, pl.MemRef("base", 0, 16384)]',
    'pl.Tensor[[64, 64], pl.FP32, pl.MemRef("base", 0, 16384), pl.TensorView(stride=[64, 1], layout=pl.ND)]',
    "pl.Tile[[16, 16], pl.FP32]",
    "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]",
    'pl.Tile[[16, 16], pl.FP32, pl.MemRef("b", 0, 1024), pl.Mem.Vec]',
    "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[8, 16], pad=pl.PadValue.zero)]",
    "pl.Tile[[16, 16], pl.FP32, pl.TileView(valid_shape=[8, 16])]",
    "pl.Tile((16, 16), pl.FP32)",
    "pl.Scalar[pl.INT32]",
    "pl.Scalar(pl.INT32)",
    "pl.Array[4, pl.INT32]",
    "pl.Array[4, pl.TASK_ID]",
    "pl.TaskId",
    "pl.Tuple[pl.Scalar[pl.INT32], pl.TaskId]",
    "pl.Out[pl.Tensor[[64], pl.FP32]]",
    "pl.InOut[pl.Tensor[[64], pl.FP32]]",
    "pl.Out[pl.Scalar[pl.INT32]]",
    "pld.DistributedTensor[[64], pl.FP32]",
    "pl.Ptr",
    "pl.MemRefType",
    "pl.PrefetchAsyncContext",
    "pl.AsyncEvent",
    "pl.AsyncSession",
    "pld.CommCtx",
    "pl.Tensor[[N, M], pl.FP32]",
    "pl.Tensor[[N * 2 + 1, 64], pl.FP32]",
    "pl.Tensor[[SIZE, SIZE // 2], pl.FP32]",
    "pl.Tensor[SHAPE, pl.FP32]",
    "pl.Tensor[[64], TYPE]",
    "WHOLE",
    "'pl.Scalar[pl.INT32]'",
    "pl.Tensor[[64], pl.FP4]",
    "pl.Tensor[[64], pl.HF8]",
    "pl.Tensor[[64, 64], pl.FP32, pl.MX_A_ZZ]",
    "pl.Out[WHOLE]",
    "pl.Tensor[[], pl.FP32]",
    "pl.Tensor[[0], pl.FP32]",
    "pl.Tensor[[64], pl.TASK_ID]",
    "pl.Tile[[N, 16], pl.FP32]",
)


@pytest.mark.parametrize("annotation", ACCEPTED)
def test_an_annotation_reads_back(annotation: str) -> None:
    function = parse(f"{HEAD}{KERNEL}def f(a: {annotation}):\n    return\n")
    assert_structural_equal(function, parse(str(function)), enable_auto_mapping=True)


REFUSED = {
    "pl.Tensor[[64], pl.FP32, pl.DN]": "is not supported",
    'pl.Tile[[16, 16], pl.FP32, pl.MemRef("b", 0, 1024)]': "needs an explicit memory space",
    "tuple[pl.Scalar[pl.INT32], pl.TaskId]": "Parameter 'a' cannot be a tuple",
    "pl.InOut[pl.Scalar[pl.INT32]]": "Scalar parameters cannot be InOut",
    "pl.Tensor[[-1], pl.FP32]": "An extent is a number from 0 to 2**63 - 1, got -0x1",
    "pl.Tensor[[2**70], pl.FP32]": "An extent is a number from 0 to 2**63 - 1",
    "pl.Tensor[[1.5], pl.FP32]": "must be int or pl.dynamic(), got float",
    "pl.Tensor[[True], pl.FP32]": "must be int or pl.dynamic(), got bool",
    "pl.Tensor[[64], 3]": "Unknown dtype: 3",
    "pl.Tensor[64, pl.FP32]": "Shape must be a list or tuple, got int",
    "pl.Tensor[[64]]": "Tensor requires [shape, dtype]",
    "pl.Tensor": "Tensor requires arguments in brackets",
    "pl.Scalar": "Scalar requires arguments in brackets",
    "int": "Unknown type annotation: int",
    "pl.Array[0, pl.INT32]": "ArrayType extent must be positive, but got 0",
    "pl.Array[-1, pl.INT32]": "ArrayType extent must be positive, but got -1",
    "pl.Array[N, pl.INT32]": "ArrayType extent must be a compile-time ConstInt, but got N",
}


@pytest.mark.parametrize("annotation", REFUSED)
def test_what_is_no_annotation_is_refused(annotation: str) -> None:
    with pytest.raises(ParserError) as caught:
        parse(f"{HEAD}{KERNEL}def f(a: {annotation}):\n    return\n")
    assert REFUSED[annotation] in caught.value.message
    assert caught.value.help


REFERENCES = (
    'pl.MemRef("one")',
    'pl.MemRef("one", slots=2)[1]',
    "NAMED",
    "SLOTS[1]",
    "SLOTS[i]",
    "pl.MemRef(0, 4096, 1)",
    'pl.MemRef("b", 0, 4096)',
)


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_memory_reference_reads_back(reference: str) -> None:
    header = "def f(x: pl.Tensor[[64, 64], pl.FP32], i: pl.Scalar[pl.INDEX]):\n"
    tile = f"    t: pl.Tile[[32, 32], pl.FP32, {reference}, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 32])\n"
    function = parse(f"{HEAD}{KERNEL}{header}{tile}")
    assert_structural_equal(function, parse(str(function)), enable_auto_mapping=True)
