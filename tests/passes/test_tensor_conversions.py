# SPDX-License-Identifier: Apache-2.0
"""ConvertTensorToTileOps: operations without a plain namesake on tiles compute what they computed before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pypto_passes.convert_tensor_to_tile_ops import ConvertTensorToTileOps

from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, DataType, MemorySpace, TileType, collect, dims
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, apply_pass
from tests.passes import programs
from tests.passes.tensor_programs import assert_same_answers, kernel_and_caller, operations

M = "pl.Tensor[[8, 16], pl.FP32]"
COLUMNS = np.array([[*range(8)], [*range(7, -1, -1)], [1] * 8, [0, 2, 4, 6, 0, 2, 4, 6]])
ROWS = np.array([[0, 9, 2, 3], [15, 6, 5, 4]])


def tensor(shape: str, dtype: str = "FP32") -> str:
    """The text of a tensor type."""
    return f"pl.Tensor[[{shape}], pl.{dtype}]"


CASES: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "gather of short rows": (
        f"x: {tensor('4, 16')}, at: {tensor('4, 3', 'INT32')}",
        "r = pl.tensor.gather(x, dim=-1, index=at)",
        tensor("4, 3"),
        {},
    ),
    "gather of whole rows": (
        f"x: {tensor('4, 16')}, at: {tensor('4, 8', 'INT32')}",
        "r = pl.tensor.gather(x, dim=-1, index=at)",
        tensor("4, 8"),
        {},
    ),
    "gather from one row": (
        f"x: {tensor('1, 16')}, at: {tensor('1, 8', 'INT32')}",
        "r = pl.tensor.gather(x, dim=-1, index=at)",
        tensor("1, 8"),
        {},
    ),
    "gather by short indices": (
        f"x: {tensor('4, 16', 'FP16')}, at: {tensor('4, 8', 'INT16')}",
        "r = pl.tensor.gather(x, dim=-1, index=at)",
        tensor("4, 8", "FP16"),
        {},
    ),
    "gather from a window of a tile": (
        f"x: {tensor('4, 16')}, at: {tensor('4, 8', 'INT32')}",
        "y = pl.tensor.adds(x, 1.0)\nz = pl.tensor.slice(y, [4, 8], [0, 8])\nr = pl.tensor.gather(z, dim=-1, index=at)",
        tensor("4, 8"),
        {"at": COLUMNS},
    ),
    "gather by comparison": (
        f"x: {tensor('8, 64')}",
        "found, r = pl.tensor.gather(x, kvalue=4.0, cmp_mode='lt', out_cols=64)",
        tensor("1, 8", "INT32"),
        {},
    ),
    "scatter": (
        f"x: {tensor('16, 8')}, at: {tensor('4, 8', 'INT32')}, y: {tensor('4, 8')}",
        "r = pl.tensor.scatter(x, dim=-1, index=at, src=y)",
        tensor("16, 8"),
        {"at": COLUMNS},
    ),
    "scatter of BF16": (
        f"x: {tensor('16, 8', 'BF16')}, at: {tensor('4, 8', 'INT16')}, y: {tensor('4, 8', 'BF16')}",
        "r = pl.tensor.scatter(x, dim=-1, index=at, src=y)",
        tensor("16, 8", "BF16"),
        {"at": COLUMNS},
    ),
    "scatter of rows": (
        f"x: {tensor('16, 8')}, at: {tensor('2, 4', 'INT32')}, y: {tensor('8, 8')}",
        "r = pl.tensor.scatter_update(x, -2, at, y)",
        tensor("16, 8"),
        {"at": ROWS},
    ),
    "scatter of FP16 rows": (
        f"x: {tensor('16, 16', 'FP16')}, at: {tensor('2, 4', 'INT32')}, y: {tensor('8, 16', 'FP16')}",
        "r = pl.tensor.scatter_update(x, -2, at, y)",
        tensor("16, 16", "FP16"),
        {"at": ROWS},
    ),
    "scatter of rows of one element": (
        f"x: {tensor('16, 1')}, at: {tensor('2, 4', 'INT32')}, y: {tensor('8, 1')}",
        "r = pl.tensor.scatter_update(x, -2, at, y)",
        tensor("16, 1"),
        {"at": ROWS},
    ),
    "scatter by mask": (
        f"x: {tensor('4, 8')}, y: {tensor('4, 16')}",
        "r = pl.tensor.scatter(x, mask_pattern=1, dst=y)",
        tensor("4, 16"),
        {},
    ),
    "merge of sorted lists": (
        f"x: {tensor('1, 64')}, y: {tensor('1, 64')}",
        "r = pl.tensor.mrgsort(x, y)",
        tensor("1, 128"),
        {
            "x": np.repeat(np.arange(32.0)[::-1], 2)[None],
            "y": np.repeat(np.arange(32.0)[::-1] * 1.5, 2)[None],
        },
    ),
    "repetition of planes": (
        f"x: {tensor('1, 4, 8')}, y: {tensor('2, 4, 8')}",
        "r = pl.expand_clone(x, y)",
        tensor("2, 4, 8"),
        {},
    ),
    "repetition of rows": (
        f"x: {tensor('2, 1, 8')}, y: {tensor('2, 4, 8')}",
        "r = pl.expand_clone(x, y)",
        tensor("2, 4, 8"),
        {},
    ),
    "repetition of columns": (
        f"x: {tensor('2, 4, 1')}, y: {tensor('2, 4, 8')}",
        "r = pl.expand_clone(x, y)",
        tensor("2, 4, 8"),
        {},
    ),
    "repetition over a computed target": (
        f"x: {tensor('2, 1, 8')}, y: {tensor('2, 4, 8')}",
        "t = pl.tensor.maximum(y, y)\nr = pl.expand_clone(x, t)",
        tensor("2, 4, 8"),
        {},
    ),
    "a copy by repetition": (
        f"x: {tensor('2, 4, 8')}, y: {tensor('2, 4, 8')}",
        "r = pl.expand_clone(x, y)",
        tensor("2, 4, 8"),
        {},
    ),
    "division by a column": (f"x: {M}, y: {tensor('8, 1')}", "r = pl.tensor.div(x, y)", M, {}),
    "division of mixed types": (f"x: {tensor('8, 16', 'INT16')}, y: {M}", "r = pl.tensor.div(x, y)", M, {}),
    "division by a number": (f"x: {M}", "r = pl.tensor.div(x, 3.0)", M, {}),
    "a precise inverse root": (f"x: {M}", "r = pl.tensor.rsqrt(x, high_precision=True)", M, {}),
    "a row out of a matrix": (
        f"x: {tensor('3, 64')}",
        "r = pl.tensor.slice(x, [1, 64], [1, 0], drop_dims=[0])",
        tensor("64"),
        {},
    ),
    "rows through a page table": (
        f"x: {tensor('64, 16')}, at: {tensor('16', 'INT32')}, pages: {tensor('8', 'INT32')}, w: {tensor('16, 16')}",
        "g = pl.tensor.paged_gather(x, at, pages, block_size=8, size=16, max_indices=16)\nr = pl.matmul(g, w)",
        tensor("16, 16"),
        {"at": np.arange(16) * 3, "pages": np.array([3, 1, 0, 2, 5, 4, 7, 6])},
    ),
    "rows that the kernel places": (
        f"x: {tensor('64, 16')}, w: {tensor('16, 16')}",
        "a = pl.tensor.create_l1([16, 16], dtype=pl.FP32)\n"
        "g = pl.tensor.gather_row(a, x, [0, 0], [8, 0], [16, 16])\nr = pl.matmul(g, w)",
        tensor("16, 16"),
        {},
    ),
    "the extent of a computed tensor": (
        f"x: {M}",
        "t = pl.tensor.adds(x, 1.0)\nn = pl.tensor.dim(t, 1)\nr = pl.tensor.slice(t, [8, 8], [0, n - 8])",
        tensor("8, 8"),
        {},
    ),
    "a tensor that starts with a value": (
        f"x: {M}",
        "y = pl.create_tensor([8, 16], dtype=pl.FP32, init_value=2.0)\nr = pl.tensor.add(y, x)",
        M,
        {},
    ),
    "another shape, partly valid": (
        f"x: {M}",
        "y = pl.tensor.reshape(x, [4, 32], [2, 32])\nr = pl.tensor.adds(y, 1.0)",
        tensor("4, 32"),
        {},
    ),
}


@pytest.mark.parametrize("hardware", [ASCEND910B, ASCEND950], ids=lambda chip: chip.name)
@pytest.mark.parametrize("case", CASES)
def test_a_converted_kernel_computes_the_same(case: str, hardware: HardwareDescription):
    params, text, result, given = CASES[case]
    program = kernel_and_caller(params, f"{text}\nreturn r", result)
    made = assert_same_answers(ConvertTensorToTileOps(), program, hardware=hardware, **given)
    staying = {"tensor.read", "tensor.dim"}
    assert {name for name in operations(made) if name.startswith("tensor.")} <= staying


def test_the_workspace_of_a_comparison_is_made_in_front_of_it():
    """MO-28: a byte for each element of the source, which is what the instruction writes and nobody reads."""
    params, text, result, _ = CASES["gather by comparison"]
    made = apply_pass(ConvertTensorToTileOps(), kernel_and_caller(params, f"{text}\nreturn r", result))
    created, compared = [
        stmt
        for stmt in collect(programs.method(made, "kernel"), AssignStmt)
        if isinstance(stmt.value, Call) and stmt.value.op.name in ("tile.create", "tile.gather_compare")
    ]
    assert isinstance(compared.value, Call)
    assert compared.value.args[2] is created.var
    assert created.var.type == TileType(dims([8, 64]), DataType.UINT8, None, None, MemorySpace.Vec)


def test_rows_through_a_page_table_print_and_read_the_same():
    params, text, result, _ = CASES["rows through a page table"]
    program = kernel_and_caller(params, f"{text}\nreturn r", result)
    made = apply_pass(ConvertTensorToTileOps(), program)
    programs.assert_becomes(ConvertTensorToTileOps(), program, made)


def test_a_gather_is_one_where_the_hardware_gathers_from_whole_tiles():
    params, text, result, _ = CASES["gather of whole rows"]
    program = kernel_and_caller(params, f"{text}\nreturn r", result)
    by_row = assert_same_answers(ConvertTensorToTileOps(), program, hardware=ASCEND910B)
    at_once = assert_same_answers(ConvertTensorToTileOps(), program, hardware=ASCEND950)
    assert "tile.assemble" in operations(by_row)
    assert "tile.assemble" not in operations(at_once)


REFUSED = {
    "an index that 16 bits cannot hold": (
        f"x: {tensor('128, 256', 'FP16')}, at: {tensor('2, 4', 'INT32')}, y: {tensor('8, 256', 'FP16')}",
        "r = pl.tensor.scatter_update(x, -2, at, y)",
        "tensor.scatter_update into 32768 elements of fp16 exceeds the i16 flat-index limit",
    ),
    "a column that is divided": (
        f"x: {tensor('8, 1')}, y: {M}",
        "r = pl.tensor.div(x, y)",
        "tensor.div does not support a row-vector lhs broadcast",
    ),
    "a row divisor": (
        f"x: {M}, y: {tensor('1, 16')}",
        "r = pl.tensor.div(x, y)",
        "tensor.div requires src0, src1, and dst to have the same physical shape",
    ),
    "a precise division by a column": (
        f"x: {M}, y: {tensor('8, 1')}",
        "r = pl.tensor.div(x, y, high_precision=True)",
        "tensor.div with high_precision=True does not support row broadcasting",
    ),
    "a view of a computed tensor": (
        f"x: {M}",
        "y = pl.tensor.adds(x, 1.0)\nr = pl.tensor.view(y, [128])",
        "tensor.view cannot view the result of an op lowered to Tile",
    ),
    "an atomic part of a computed tensor": (
        f"x: {M}",
        "y = pl.tensor.adds(x, 1.0)\nr = pl.tensor.assemble(y, x, [0, 0], atomic=pl.AtomicType.Add)",
        "tensor.assemble with atomic= needs a global-memory destination",
    ),
    "rows of a computed tensor": (
        f"x: {tensor('64, 16')}",
        "y = pl.tensor.adds(x, 1.0)\na = pl.tensor.create_l1([16, 16], dtype=pl.FP32)\n"
        "r = pl.tensor.gather_row(a, y, [0, 0], [8, 0], [16, 16])",
        "tensor.gather_row copies rows of global memory, but is given a computed value",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_tiles_cannot_do_is_refused_with_a_way_out(case: str):
    params, text, message = REFUSED[case]
    with pytest.raises(UserError) as caught:
        apply_pass(ConvertTensorToTileOps(), kernel_and_caller(params, f"{text}\nreturn r", M))
    assert caught.value.message == message
    assert caught.value.help
    assert caught.value.span.is_valid()
