# SPDX-License-Identifier: Apache-2.0
"""PH001: hints about transfers in short rows."""

from __future__ import annotations

import pytest
from pypto_passes.checks.tile_innermost_dim_granularity import PH001

from pypto_build.ir import Program
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, PassContext
from tests.passes import programs
from tests.passes.checks.looking import seen


def kernel(columns: int, text: str, dtype: str = "FP32") -> Program:
    kind = f"pl.Tensor[[16, {columns}], pl.{dtype}]"
    head = f"@pl.function(type=pl.FunctionType.InCore)\ndef f(self, x: {kind}, out: pl.Out[{kind}]) -> {kind}:"
    return programs.body(head, text)


def copy(columns: int, dtype: str = "FP32", more: str = "") -> Program:
    return kernel(columns, f"t = pl.load(x, [0, 0], [16, {columns}]{more})\nreturn pl.store(t, [0, 0], out)", dtype)


def hints(of: Program, chip: HardwareDescription = ASCEND950) -> list[tuple[int, str]]:
    return seen(PH001, of, context=PassContext(hardware_description=chip))


def test_a_hint_says_what_moves_and_what_the_chip_likes() -> None:
    load = (
        "tile.load has innermost dim = 64B (tile fp32[16], target_memory=Vec); moves 1024B as 16 x 64B rows; "
        "recommended >= 128B for a5 (L2 cache line = 512B)"
    )
    assert hints(copy(16)) == [(3, load), (4, load.replace("load", "store"))]


@pytest.mark.parametrize(
    ("of", "chip", "count"),
    [
        (copy(31), ASCEND950, 2),
        (copy(32), ASCEND950, 0),
        (copy(32), ASCEND910B, 2),
        (copy(128), ASCEND910B, 0),
        (copy(64, "FP16"), ASCEND950, 0),
        (copy(64, "INT8"), ASCEND950, 2),
    ],
)
def test_rows_count_in_bytes_against_what_the_chip_likes(of: Program, chip: HardwareDescription, count: int) -> None:
    assert len(hints(of, chip)) == count


@pytest.mark.parametrize(
    ("of", "volume"),
    [
        (copy(16, more=", valid_shape=[4, 16]"), "moves 256B as 4 x 64B rows"),
        (copy(1, "BOOL"), "moves 16B as 16 x 1B rows"),
    ],
)
def test_only_valid_rows_move_and_each_takes_whole_bytes(of: Program, volume: str) -> None:
    assert all(volume in message for _, message in hints(of))


def test_moves_inside_a_core_are_not_looked_at() -> None:
    text = "t = pl.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)\nm = pl.move(t, target_memory=pl.Mem.Left)\n"
    assert [line for line, _ in hints(kernel(16, f"{text}return x"))] == [3]


def test_alike_transfers_of_one_place_are_one_hint() -> None:
    source = copy(16)
    (function,) = source.functions.values()
    twice = source.with_functions([function.replace(body=type(function.body)((function.body, function.body)))])
    assert [message.endswith("2 times at this place") for _, message in hints(twice)] == [True, True]


def test_its_severity_code_and_help() -> None:
    (function,) = copy(16).functions.values()
    found = PH001.diagnostics(function, PassContext())[0]
    assert (found.severity, found.rule, found.code) == ("perf_hint", "TileInnermostDimGranularity", "PH001")
    assert found.help == "make the tile wider on its innermost axis"
