# SPDX-License-Identifier: Apache-2.0
"""Each instruction writes what the operation that it stands for computes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from pypto_simulators.pto_text.meanings import MEANINGS
from pypto_targets.pto.instructions import INSTRUCTIONS

from pypto_build.errors import UserError
from pypto_build.ir import DataType, PadValue
from tests.simulators.pto_text.instructions import instruction
from tests.simulators.pto_text.texts import moved, run
from tests.simulators.running import Part, Scalar, result, run_op

RNG = np.random.default_rng(7)
A, B, C = (RNG.uniform(0.5, 4, (4, 8)).astype(np.float32) for _ in range(3))
N, M = (RNG.integers(1, 100, (4, 8)).astype(np.int32) for _ in range(2))
BYTES = RNG.integers(0, 255, (4, 32)).astype(np.uint8)
COLUMN = RNG.uniform(1, 2, (4, 1)).astype(np.float32)
ROW = RNG.uniform(1, 2, (1, 8)).astype(np.float32)
LEFT, RIGHT = RNG.standard_normal((16, 8)).astype(np.float32), RNG.standard_normal((8, 4)).astype(np.float32)
SUM, BIAS = RNG.standard_normal((16, 4)).astype(np.float32), RNG.standard_normal((1, 4)).astype(np.float32)
LONG = RNG.permutation(64).reshape(1, 64).astype(np.float32)
F, G, H, S = "vec f32[4,8]", "vec i32[4,8]", "vec f32[4,1]", "vec f32[16,4]"

# Mnemonic, operation, its arguments, the type of the destination. The operands of the instruction are the arguments.
SAME: list[tuple[str, str, tuple[Any, ...], str]] = [
    *((f"pto.t{name}", f"tile.{name}", (A, B), F) for name in ("add", "sub", "mul", "div")),
    *((f"pto.t{name}", f"tile.{name}", (N, M), G) for name in ("fmod", "and", "or")),
    *((f"pto.t{name}", f"tile.{name}", (N, M % 5, N), G) for name in ("rem", "xor")),
    *((f"pto.t{name}", f"tile.{name}", (N, M % 5), G) for name in ("shl", "shr")),
    *((f"pto.tpart{name}", f"tile.part_{name}", (A, B), F) for name in ("add", "mul", "max", "min")),
    *((f"pto.t{name}", f"tile.{name}", (A, B, C), F) for name in ("addc", "subc", "prelu")),
    *((f"pto.t{name}", f"tile.{name}", (A, 1.5), F) for name in ("adds", "subs", "muls", "divs", "fmods", "lrelu")),
    *((f"pto.t{name}", f"tile.{name}", (N, 3), G) for name in ("ands", "ors", "shls", "shrs")),
    *((f"pto.t{name}", f"tile.{name}", (N, 3, N), G) for name in ("rems", "xors")),
    *((f"pto.t{name}", f"tile.{name}", (A, 1.5, B), F) for name in ("addsc", "subsc")),
    *((f"pto.t{name}", f"tile.{name}", (A,), F) for name in ("abs", "exp", "sqrt", "rsqrt", "neg", "relu", "log")),
    ("pto.trecip", "tile.recip", (A,), F),
    ("pto.tnot", "tile.not", (N.astype(np.int16),), "vec i16[4,8]"),
    *((f"pto.trow{name}", f"tile.row_{name}", (A, B), H) for name in ("sum", "max", "min", "prod")),
    *((f"pto.trow{name}", f"tile.row_{name}", (A, B), "vec i32[4,1]") for name in ("argmax", "argmin")),
    *((f"pto.tcol{name}", f"tile.col_{name}", (A,), "vec f32[1,8]") for name in ("sum", "max", "min", "prod")),
    *((f"pto.tcol{name}", f"tile.col_{name}", (A, B), "vec i32[1,8]") for name in ("argmax", "argmin")),
    *(
        (f"pto.t{axis}expand{name}", f"tile.{axis}_expand_{name}", (A, vector), F)
        for axis, vector in (("row", COLUMN), ("col", ROW))
        for name in ("add", "sub", "mul", "div", "max", "min", "expdif")
    ),
    ("pto.tmax", "tile.maximum", (A, B), F),
    ("pto.tmin", "tile.minimum", (A, B), F),
    ("pto.tmaxs", "tile.maximums", (A, 1.5), F),
    ("pto.tmins", "tile.minimums", (A, 1.5), F),
    ("pto.tmatmul", "tile.matmul", (LEFT, RIGHT), S),
    ("pto.tmatmul.acc", "tile.matmul_acc", (SUM, LEFT, RIGHT), S),
    ("pto.tmatmul.bias", "tile.matmul_bias", (LEFT, RIGHT, BIAS), S),
    ("pto.tconcat", "tile.concat", (A, B), "vec f32[4,16]"),
    ("pto.tgather", "tile.gather", (A, N % 32, N), F),
]


@pytest.mark.parametrize(("name", "operation", "args", "into"), SAME, ids=[one[0] for one in SAME])
def test_an_instruction_computes_what_its_operation_does(name: str, operation: str, args: tuple[Any, ...], into: str):
    (found,) = instruction(name, *args, into=into)
    given = [Scalar(arg, DataType.FP32) if isinstance(arg, float) else arg for arg in args]
    np.testing.assert_array_equal(found, result(operation, *given))


@pytest.mark.parametrize(
    ("name", "args"),
    [("", (LEFT[:1], RIGHT)), (".acc", (SUM[:1], LEFT[:1], RIGHT)), (".bias", (LEFT[:1], RIGHT, BIAS))],
)
def test_a_vector_is_multiplied_as_a_matrix_of_one_row(name: str, args: tuple[Any, ...]):
    found, wanted = (instruction(f"pto.{kind}{name}", *args, into="vec f32[1,4]") for kind in ("tgemv", "tmatmul"))
    np.testing.assert_array_equal(found[0], wanted[0])


def test_a_move_copies():
    np.testing.assert_array_equal(instruction("pto.tmov", A, into=F)[0], A)


@pytest.mark.parametrize(("mode", "number"), [("eq", 0), ("lt", 2), ("ge", 5)])
def test_a_comparison_names_its_mode(mode: str, number: int):
    (found,) = instruction("pto.tcmp", A, B, into="vec ui8[4,32]", ins=f"{{cmpMode = #pto<cmp {mode}>}}")
    np.testing.assert_array_equal(found[:, :1], result("tile.cmp", A, B, cmp_type=number)[:, :1])


def test_a_mask_chooses():
    (mask,) = instruction("pto.tcmps", A, 2.0, into="vec ui8[4,32]", ins="{cmpMode = #pto<cmp gt>}")
    np.testing.assert_array_equal(instruction("pto.tsel", mask, A, B, mask, into=F)[0], np.where(A > 2, A, B))


@pytest.mark.parametrize(("word", "wanted"), [("RINT", 2), ("TRUNC", 2), ("CEIL", 3), ("ROUND", 3), ("CAST_RINT", 2)])
def test_a_conversion_rounds_as_its_mode_says(word: str, wanted: int):
    source = np.full((1, 8), 2.5, np.float32)
    (found,) = instruction("pto.tcvt", source, into="vec i32[1,8]", ins=f"{{rmode = #pto<round_mode {word}>}}")
    assert set(found.ravel()) == {wanted}


def test_a_conversion_has_the_type_of_its_destination():
    (found,) = instruction("pto.tcvt", A, into="vec bf16[4,8]", ins="{rmode = #pto<round_mode RINT>}")
    np.testing.assert_array_equal(found, A.astype(ml_dtypes.bfloat16))


def test_one_number_fills_a_tile():
    np.testing.assert_array_equal(instruction("pto.texpands", 1, into="vec i32[4,8]")[0], np.ones((4, 8)))


@pytest.mark.parametrize(("name", "vector", "shape"), [("row", COLUMN, (4, 8)), ("col", ROW, (4, 8))])
def test_a_vector_is_repeated(name: str, vector: Any, shape: tuple[int, int]):
    np.testing.assert_array_equal(instruction(f"pto.t{name}expand", vector, into=F)[0], np.broadcast_to(vector, shape))


def test_padding_is_what_the_type_of_the_destination_says():
    padded = "vec f32[4,8] pad 3"
    body = f"""
    TILE(%x_t, 0, {F})
    TILE(%y_t, 4096, {padded})
    {moved("load", "%x_t", "%x", F)}
    pto.set_validshape %x_t, $3, $5 : {F}
    pto.tfillpad ins(%x_t : {F}) outs(%y_t : {padded})
    {moved("store", "%y_t", "%y", padded)}
    """
    found = run(body, "%x: P, %y: P", x=A, y=A).outputs["y"]
    np.testing.assert_array_equal(found, result("tile.fillpad", Part(A, (3, 5)), pad_value=PadValue.min))


@pytest.mark.parametrize(("flag", "step"), [("false", 1), ("true", -1)])
def test_a_sequence_goes_up_or_down(flag: str, step: int):
    (found,) = instruction("pto.tci", 5, into="vec i32[1,8]", outs=f"{{descending = {flag}}}")
    assert found.tolist() == [[5 + step * i for i in range(8)]]


def test_rows_and_columns_are_exchanged():
    np.testing.assert_array_equal(instruction("pto.ttrans", A, A, into="vec f32[8,4]")[0], A.T)


def test_a_part_is_taken_out_and_put_in():
    body = f"""
    TILE(%x_t, 0, {F})
    TILE(%y_t, 4096, vec f32[2,4])
    TILE(%z_t, 8192, {F})
    {moved("load", "%x_t", "%x", F)}
    {moved("load", "%z_t", "%z", F)}
    pto.textract ins(%x_t, $1, $4 : {F}, index, index) outs(%y_t : vec f32[2,4])
    pto.tinsert ins(%y_t, $2, $0 : vec f32[2,4], index, index) outs(%z_t : {F})
    {moved("store", "%z_t", "%o", F)}
    """
    wanted = B.copy()
    wanted[2:, :4] = A[1:3, 4:]
    np.testing.assert_array_equal(run(body, "%x: P, %z: P, %o: P", x=A, z=B, o=A).outputs["o"], wanted)


def test_a_pattern_picks_columns():
    mask = ", {maskPattern = #pto.mask_pattern<P0101>}"
    np.testing.assert_array_equal(instruction("pto.tgather", A, into="vec f32[4,4]", ins=mask)[0], A[:, ::2])


def test_a_comparison_picks_columns_and_counts_them():
    attributes = "{cmpMode = #pto<cmp gt>, offset = 0 : i32}"
    found = instruction("pto.tgather", A, 2.0, BYTES, into=["vec i32[4,8]", "vec i32[1,4]"], outs=attributes)
    wanted = run_op("tile.gather_compare", A, Scalar(2.0, DataType.FP32), BYTES, cmp_mode=4, out_cols=8)
    np.testing.assert_array_equal(found[0], wanted[0].full())
    assert found[1].tolist() == wanted[1].full().tolist()


def test_elements_are_scattered_into_the_destination():
    indices = RNG.permutation(32).reshape(4, 8).astype(np.int32)
    (found,) = instruction("pto.tscatter", A, indices, into=F)
    np.testing.assert_array_equal(found.ravel()[indices], A)


def test_bytes_are_gathered_in_blocks():
    offsets = np.array([[96, 32, 0, 64, 32, 32, 0, 0]], np.uint32)
    (found,) = instruction("pto.tgatherb", A, offsets, into="vec f32[1,64]")
    np.testing.assert_array_equal(found, result("tile.gatherb", A, offsets))


def test_blocks_are_sorted_and_runs_merged():
    (pairs,) = instruction("pto.tsort32", LONG, np.arange(64, dtype=np.uint32)[None], into="vec f32[1,128]")
    (merged,) = instruction("pto.tmrgsort", pairs, 64, into="vec f32[1,128]")
    np.testing.assert_array_equal(merged[0, ::2], np.arange(64)[::-1])


def test_lists_are_merged_into_the_first_of_two_destinations():
    lists = [np.array([[5, 0, 3, 1]], np.float32), np.array([[4, 0, 2, 1]], np.float32)]
    body = "%executed = arith.constant dense<0> : vector<4xi16>\n"
    kinds = ["vec f32[1,4]", "vec f32[1,4]", "vec f32[1,8]"]
    body += "".join(f"TILE(%t{i}, {i * 64}, {kind})\n" for i, kind in enumerate(kinds))
    body += "".join(moved("load", f"%t{i}", f"%x{i}", kinds[i]) for i in range(2))
    body += f"pto.tmrgsort ins(%t0, %t1, %t2 {{exhausted = false}} : {', '.join(kinds)}) "
    body += f"outs(%t2, %executed : {kinds[2]}, vector<4xi16>)\n" + moved("store", "%t2", "%o", kinds[2])
    found = run(body, "%x0: P, %x1: P, %o: P", x0=lists[0], x1=lists[1], o=np.zeros((1, 8), np.float32))
    assert found.outputs["o"][0, ::2].tolist() == [5, 4, 3, 2]


def test_an_instruction_without_semantics_is_refused_at_its_place():
    with pytest.raises(UserError, match=r"pto\.tunknown cannot be simulated") as refusal:
        instruction("pto.tunknown", A, into=F)
    assert (refusal.value.code, refusal.value.span.filename) == ("SIM016", "kernels/k.pto")


def test_every_instruction_of_the_target_has_a_meaning():
    """What the table of the target writes can be read back and run."""
    assert set(INSTRUCTIONS.values()) - set(MEANINGS) <= {"pto.tgather"}
