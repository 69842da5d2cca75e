# SPDX-License-Identifier: Apache-2.0
"""LegalizeTileCast: which conversions become chains, through which types, and what the chains compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

import numpy as np
import pytest
from pypto_passes.legalize_tile_cast import LegalizeTileCast, cast_chain

from pypto_build.compat.backend_state import UNCHOSEN
from pypto_build.errors import UserError
from pypto_build.ir import DATA_TYPES, DataType, Program
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, PassContext, apply_pass
from tests.passes import programs
from tests.passes.simulated import answer

PASS = LegalizeTileCast()
UNCONVERTED = ("INDEX", "UINT4", "UINT64")
NAMES = {
    "bf16": DataType.BF16,
    **{dtype.to_string(): dtype for dtype in (DataType.FP16, DataType.FP32, DataType.FP4, DataType.HF8)},
    "fp8e4m3": DataType.FP8E4M3FN,
    "fp8e5m2": DataType.FP8E5M2,
    **{dtype.to_string(): dtype for dtype in DATA_TYPES if dtype.is_int() and dtype.attribute not in UNCONVERTED},
}
# For each type what it is converted to, and by how many instructions. Source: the public table of conversions.
STEPS_950 = {
    "bf16": "fp16 fp32 fp4 int32 | fp8e4m3 fp8e5m2 hf8 int16 int8 uint16 uint8",
    "fp16": "fp32 hf8 int16 int32 int8 uint8 | bf16 fp8e4m3 fp8e5m2 uint16 | fp4",
    "fp32": "bf16 fp16 fp8e4m3 fp8e5m2 hf8 int16 int32 int64 | fp4 int8 uint16 uint8",
    "fp4": "bf16 | | fp8e4m3 fp8e5m2 hf8 int8 uint8",
    "fp8e4m3": "fp32 | bf16 fp16 fp8e5m2 hf8 int16 | fp4 int8 uint16 uint8",
    "fp8e5m2": "fp32 | bf16 fp16 fp8e4m3 hf8 int16 | fp4 int8 uint16 uint8",
    "hf8": "fp32 | bf16 fp16 fp8e4m3 fp8e5m2 int16 | fp4 int8 uint16 uint8",
    "int16": "fp16 fp32 int32 uint32 uint8 | bf16 fp8e4m3 fp8e5m2 hf8 int8 uint16 | fp4",
    "int32": "fp32 int16 int64 uint16 uint8 | bf16 fp16 fp8e4m3 fp8e5m2 hf8 | fp4 int8",
    "int64": "fp32 int32 | bf16 fp16 fp8e4m3 fp8e5m2 hf8 int16 uint16 uint8 | fp4 int8",
    "int8": "fp16 int16 int32 | hf8 uint16 uint8 | fp8e4m3 fp8e5m2 | fp4",
    "uint32": "int16 uint16 uint8 | | int8",
    "uint8": "fp16 uint16 | hf8 int8 | fp8e4m3 fp8e5m2 | fp4",
}
STEPS_910B = {
    "bf16": "fp32 int32 | fp16 int16 | int4 int8 uint8",
    "fp16": "fp32 int16 int32 int4 int8 uint8 | bf16",
    "fp32": "bf16 fp16 int16 int32 int64 | int4 int8 uint8",
    "int16": "fp16 fp32 | bf16 int4 int8 uint8",
    "int32": "fp16 fp32 int16 int64 | bf16 int4 int8 uint8",
    "int4": "fp16 | int8 uint8",
    "int64": "fp32 int32 | bf16 fp16 int16 | int4 int8 uint8",
    "int8": "fp16 | int4 uint8",
    "uint8": "fp16 | int4 int8",
}
TABLES = [(ASCEND910B, STEPS_910B), (ASCEND950, STEPS_950)]


def steps(table: Mapping[str, str]) -> Iterator[tuple[str, str, int]]:
    """The lines of a table as (from, to, how many instructions)."""
    for source, line in table.items():
        for count, targets in enumerate(line.split("|"), 1):
            yield from ((source, target, count) for target in targets.split())


def kernel(source: str, target: str, mode: str = "rint", valid: str = "[16, 16]") -> Program:
    """A kernel that converts a tile."""
    types = [f"pl.Tensor[[16, 16], pl.{NAMES[name].attribute}]" for name in (source, target)]
    body = f"""
        a = pl.load(x, [0, 0], [16, 16], valid_shape={valid})
        b = pl.tile.cast(a, target_type=pl.{NAMES[target].attribute}, mode="{mode}")
        r = pl.store(b, [0, 0], out)
    """
    head = f"def kernel(self, x: {types[0]}, out: pl.Out[{types[1]}]):"
    return programs.body(f"@pl.function(type=pl.FunctionType.InCore)\n{head}", body)


@pytest.mark.parametrize(("hardware", "table"), TABLES, ids=["910b", "950"])
def test_chains_are_as_long_as_the_table_says(hardware: HardwareDescription, table: Mapping[str, str]):
    known = {(source, target): count for source, target, count in steps(table)}
    for (source, of), (target, to) in permutations(NAMES.items(), 2):
        assert len(cast_chain(of, to, hardware)) == known.get((source, target), 0), (source, target)


@pytest.mark.parametrize(
    ("source", "target", "hardware", "through"),
    [
        ("int32", "fp16", ASCEND950, "fp32"),
        ("fp16", "bf16", ASCEND950, "fp32"),
        ("fp32", "int8", ASCEND910B, "fp16"),
        ("int16", "hf8", ASCEND950, "fp32"),
        ("int64", "int16", ASCEND910B, "fp32"),
        ("fp4", "hf8", ASCEND950, "bfloat16 fp16"),
    ],
)
def test_of_equally_short_chains_one_rounds_late(source: str, target: str, hardware: HardwareDescription, through: str):
    assert " ".join(map(str, cast_chain(NAMES[source], NAMES[target], hardware)[:-1])) == through


def test_a_chain_stands_in_front_of_the_statement():
    before, context = kernel("fp16", "bf16", "floor", "[8, 16]"), PassContext(hardware_description=ASCEND950)
    expected = """
        a = pl.load(x, [0, 0], [16, 16], valid_shape=[8, 16])
        c = pl.tile.cast(a, target_type=pl.FP32, mode="floor")
        b = pl.tile.cast(c, target_type=pl.BF16, mode="floor")
        r = pl.store(b, [0, 0], out)
    """
    head = "def kernel(self, x: pl.Tensor[[16, 16], pl.FP16], out: pl.Out[pl.Tensor[[16, 16], pl.BF16]]):"
    made = programs.body(f"@pl.function(type=pl.FunctionType.InCore)\n{head}", expected)
    programs.assert_becomes(PASS, before, made, context)
    programs.assert_unchanged(PASS, made, context)


@pytest.mark.parametrize("hardware", [ASCEND910B, ASCEND950], ids=lambda h: h.name)
@pytest.mark.parametrize(
    ("source", "target"), [("fp16", "bf16"), ("int16", "bf16"), ("int64", "int16"), ("fp32", "int8")]
)
@pytest.mark.parametrize("mode", ["rint", "floor", "trunc"])
def test_a_chain_computes_what_the_conversion_does(source: str, target: str, hardware: HardwareDescription, mode: str):
    before = kernel(source, target, mode)
    made = apply_pass(PASS, before, PassContext(hardware_description=hardware))
    assert made is not before
    found, wanted = (np.asarray(answer(one)["out"], np.float64) for one in (made, before))
    step = 2.0**-7 * np.abs(wanted) if target == "bf16" else 1
    assert (np.abs(found - wanted) <= (step if mode == "rint" else 0)).all()


def test_native_conversions_stay():
    programs.assert_unchanged(PASS, kernel("int32", "fp16"))


def test_on_hardware_of_which_nothing_is_known_every_conversion_stays():
    programs.assert_unchanged(PASS, kernel("fp32", "int8"), PassContext(hardware_description=UNCHOSEN))


def test_a_conversion_that_would_lose_numbers_on_the_way_is_refused():
    with pytest.raises(UserError, match="from uint32 to fp32 has no native cast path on ascend950") as raised:
        apply_pass(PASS, kernel("uint32", "fp32"), PassContext(hardware_description=ASCEND950))
    assert raised.value.code == "CAST001"
