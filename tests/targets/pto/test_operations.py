# SPDX-License-Identifier: Apache-2.0
"""Every operation with an instruction of its own: one row with its call and the line that it becomes.

A row of a known family is all that a new operation needs here. Operands are named by their type: `f`, `g` are FP32
tiles of 16x16, `h` is FP16, `i`, `j` INT32, `u` UINT32, `k` INT16, `b` a mask of bytes, `col` and `row` single columns
and rows. In the expected line `F` stands for `f32[16,16]` and so on.
"""

from __future__ import annotations

import re

import pytest

from pypto_build.ir import Program
from tests.targets.pto.emitting import ARCHITECTURES, last, program

TILES = {
    "f": ("FP32", 16, 16),
    "g": ("FP32", 16, 16),
    "t": ("FP32", 16, 16),
    "h": ("FP16", 16, 16),
    "i": ("INT32", 16, 16),
    "j": ("INT32", 16, 16),
    "k": ("INT16", 16, 16),
    "b": ("UINT8", 16, 32),
    "col": ("FP32", 16, 1),
    "row": ("FP32", 1, 16),
    "half": ("FP32", 16, 8),
    "line": ("FP32", 1, 64),
    "place": ("UINT32", 1, 64),
    "line2": ("FP32", 1, 64),
    "pairs": ("FP32", 1, 128),
    "off": ("UINT32", 8, 8),
    "bits": ("UINT8", 17, 32),
}
SHORT = {
    "F": "f32[16,16]",
    "H": "f16[16,16]",
    "I": "i32[16,16]",
    "K": "i16[16,16]",
    "B": "ui8[16,32]",
    "C": "f32[16,1]",
    "R": "f32[1,16]",
}
BINARY = "add sub mul part_add part_mul part_max part_min fmod maximum minimum"
BINARY_NAMES = "tadd tsub tmul tpartadd tpartmul tpartmax tpartmin tfmod tmax tmin"
COLUMN_EXPANDS = "mul add div sub max min expdif"


def family(operations: str, mnemonics: str, call: str, line: str) -> list[tuple[str, str]]:
    """Rows of operations that differ in their names only."""
    names = zip(operations.split(), mnemonics.split(), strict=True)
    return [(call.replace("OP", operation), line.replace("OP", mnemonic)) for operation, mnemonic in names]


ROWS = [
    *family(BINARY, BINARY_NAMES, "OP(f, g)", "pto.OP ins(%f, %g : F, F) outs(%r : F)"),
    *family("and_ or_ shl shr", "tand tor tshl tshr", "OP(i, j)", "pto.OP ins(%i, %j : I, I) outs(%r : I)"),
    *family("xor", "txor", "OP(i, j, i)", "pto.OP ins(%i, %j, %i : I, I, I) outs(%r : I)"),
    *family("rem", "trem", "OP(f, g, t)", "pto.OP ins(%f, %g, %t : F, F, F) outs(%r : F)"),
    *family("addc subc", "taddc tsubc", "OP(f, g, t)", "pto.OP ins(%f, %g, %t : F, F, F) outs(%r : F)"),
    *family("abs exp sqrt neg relu", "tabs texp tsqrt tneg trelu", "OP(f)", "pto.OP ins(%f : F) outs(%r : F)"),
    *family("rsqrt log recip", "trsqrt tlog trecip", "OP(f)", "pto.OP ins(%f : F) outs(%r : F)"),
    *family("not_", "tnot", "OP(k)", "pto.OP ins(%k : K) outs(%r : K)"),
    *family(
        "adds subs muls divs", "tadds tsubs tmuls tdivs", "OP(f, 2.0)", "pto.OP ins(%f, %cst : F, f32) outs(%r : F)"
    ),
    *family(
        "fmods maximums minimums lrelu",
        "tfmods tmaxs tmins tlrelu",
        "OP(f, 2.0)",
        "pto.OP ins(%f, %cst : F, f32) outs(%r : F)",
    ),
    *family("rems", "trems", "OP(f, 2.0, t)", "pto.OP ins(%f, %cst, %t : F, f32, F) outs(%r : F)"),
    *family("addsc subsc", "taddsc tsubsc", "OP(f, 2.0, t)", "pto.OP ins(%f, %cst, %t : F, f32, F) outs(%r : F)"),
    *family(
        "ands ors shls shrs", "tands tors tshls tshrs", "OP(i, 5)", "pto.OP ins(%i, %c5_i32 : I, i32) outs(%r : I)"
    ),
    ("xors(i, 5, j)", "pto.txors ins(%i, %c5_i32, %j : I, i32, I) outs(%r : I)"),
    ("div(f, g)", "pto.tdiv ins(%f, %g : F, F) outs(%r : F)"),
    ("cmp(f, g, cmp_type=4)", "pto.tcmp ins(%f, %g {cmpMode = #pto<cmp gt>} : F, F) outs(%r : B)"),
    ("cmps(f, 0.0, cmp_type=0)", "pto.tcmps ins(%f, %cst {cmpMode = #pto<cmp eq>} : F, f32) outs(%r : B)"),
    ("cast(f, pl.FP16, mode='rint')", "pto.tcvt ins(%f {rmode = #pto<round_mode RINT>} : F) outs(%r : H)"),
    ("sel(b, f, g, b)", "pto.tsel ins(%b, %f, %g, %b : B, F, F, B) outs(%r : F)"),
    ("sels(b, f, row, 1.5)", "pto.tsels ins(%b, %f, %row, %cst : B, F, R, f32) outs(%r : F)"),
    ("prelu(f, g, bits)", "pto.tprelu ins(%f, %g, %bits : F, F, ui8[17,32]) outs(%r : F)"),
    *family(
        "row_sum row_max row_min row_prod",
        "trowsum trowmax trowmin trowprod",
        "OP(f, t)",
        "pto.OP ins(%f, %t : F, F) outs(%r : C)",
    ),
    *family(
        "row_argmax row_argmin", "trowargmax trowargmin", "OP(f, t)", "pto.OP ins(%f, %t : F, F) outs(%r : i32[16,1])"
    ),
    *family("col_max col_min col_prod", "tcolmax tcolmin tcolprod", "OP(f)", "pto.OP ins(%f : F) outs(%r : R)"),
    *family(
        "col_argmax col_argmin", "tcolargmax tcolargmin", "OP(f, t)", "pto.OP ins(%f, %t : F, F) outs(%r : i32[1,16])"
    ),
    ("col_sum(f)", "pto.tcolsum ins(%f : F) outs(%r : R)"),
    ("col_sum(f, t)", "pto.tcolsum ins(%f, %t {isBinary = true} : F, F) outs(%r : R)"),
    *family(
        " ".join(f"col_expand_{name}" for name in COLUMN_EXPANDS.split()),
        " ".join(f"tcolexpand{name}" for name in COLUMN_EXPANDS.split()),
        "OP(f, row)",
        "pto.OP ins(%f, %row : F, R) outs(%r : F)",
    ),
    *family(
        " ".join(f"row_expand_{name}" for name in COLUMN_EXPANDS.split()),
        " ".join(f"trowexpand{name}" for name in COLUMN_EXPANDS.split()),
        "OP(f, col)",
        "pto.OP ins(%f, %col : F, C) outs(%r : F)",
    ),
    ("row_expand_add(f, col, t)", "pto.trowexpandadd ins(%f, %col, %t : F, C, F) outs(%r : F)"),
    ("col_expand(f, row)", "pto.tcolexpand ins(%row : R) outs(%r : F)"),
    ("row_expand(f, col)", "pto.trowexpand ins(%col : C) outs(%r : F)"),
    ("fillpad(f)", "pto.tfillpad ins(%f : F) outs(%r : F)"),
    ("fillpad_inplace(f)", "pto.tfillpad ins(%f : F) outs(%r : F)"),
    ("fillpad_expand(f, [16, 32])", "pto.tfillpad_expand ins(%f : F) outs(%r : f32[16,32])"),
    ("concat(f, g)", "pto.tconcat ins(%f, %g : F, F) outs(%r : f32[16,32])"),
    ("transpose(f, 0, 1, t)", "pto.ttrans ins(%f, %t : F, F) outs(%r : F)"),
    ("full([16, 16], dtype=pl.FP32, value=2.0)", "pto.texpands ins(%cst : f32) outs(%r : F)"),
    ("expands(f, 2.0)", "pto.texpands ins(%cst : f32) outs(%r : F)"),
    ("ci(3, [1, 16], dtype=pl.INT32)", "pto.tci ins(%c3_i32 : i32) outs(%r : i32[1,16]) {descending = false}"),
    ("tri(1, [16, 16], dtype=pl.FP32)", '"pto.ttri"(%c1_i32, %r) {upperOrLower = 0 : i32} : (i32, F) -> ()'),
    ("gather(f, i, j)", "pto.tgather ins(%f, %i, %j : F, I, I) outs(%r : F)"),
    ("gatherb(f, off)", "pto.tgatherb ins(%f, %off : F, ui32[8,8]) outs(%r : f32[8,64])"),
    (
        "gather_mask(f, mask_pattern=1)",
        'pto.tgather ins(%f, {maskPattern = #pto.mask_pattern<P0101>} : F, "row") outs(%r : f32[16,8])',
    ),
    ("scatter(f, g, i)", "pto.tscatter ins(%g, %i : F, I) outs(%f : F)"),
    (
        "scatter_mask(f, half, mask_pattern=2)",
        'pto.tscatter ins(%half, {maskPattern = #pto.mask_pattern<P1010>} : f32[16,8], "row") outs(%f : F)',
    ),
    ("sort32(line, place)", "pto.tsort32 ins(%line, %place : f32[1,64], ui32[1,64]) outs(%r : f32[1,128])"),
    ("mrgsort_format1(pairs, 64)", "pto.tmrgsort ins(%pairs, %c64_i32 : f32[1,128], i32) outs(%r : f32[1,128])"),
    (
        "mrgsort_format2(line, line2, pairs)",
        "pto.tmrgsort ins(%line, %line2, %pairs {exhausted = false} : f32[1,64], f32[1,64], f32[1,128]) "
        "outs(%r, %executed_vec : f32[1,128], vector<4xi16>)",
    ),
    (
        "extract(f, 0, 8, shape=[16, 8], target_memory=pl.Mem.Vec)",
        "pto.textract ins(%f, %c0_index, %c8_index : F, index, index) outs(%r : f32[16,8])",
    ),
    ("move(f, target_memory=pl.Mem.Vec)", "pto.tmov ins(%f : F) outs(%r : F)"),
]


def written(call: str) -> Program:
    used = [name for name in TILES if re.search(rf"\b{name}\b", call.split("(", 1)[1])]
    params = ["o: pl.Out[pl.Tensor[[16, 16], pl.FP32]]"]
    body: list[str] = []
    for name in used:
        dtype, rows, columns = TILES[name]
        params.append(f"p_{name}: pl.Tensor[[{rows}, {columns}], pl.{dtype}]")
        body.append(f"{name} = pl.tile.load(p_{name}, [0, 0], [{rows}, {columns}])")
    return program("\n".join([*body, f"r = pl.tile.{call}"]), params=", ".join(params))


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(("call", "line"), ROWS, ids=[call.split("(")[0] for call, _ in ROWS])
def test_the_operation_becomes_its_instruction(call: str, line: str, arch: str):
    expected = re.sub(r"(?<![\w%#<.])[A-Z](?![\w\]])", lambda match: SHORT.get(match[0], match[0]), line)
    assert last(written(call), arch) == expected
