# SPDX-License-Identifier: Apache-2.0
"""Cores that work together: tiles that cross between them, halves by lane, barriers, and waiting in vain."""

from __future__ import annotations

import numpy as np
import pytest
from pypto_simulators.functional.scheduler import Scheduler

from pypto_build.errors import UserError
from tests.simulators.running import program, simulate

X = np.arange(64, dtype=np.float32).reshape(8, 8)
TENSOR = "pl.Tensor[[8, 8], pl.FP32]"
TILE = "pl.Tile[[{}, 8], pl.FP32, pl.Mem.{}]"

# The vector cores add 1 and push; the cube core multiplies with itself and pushes back; the vector cores store.
CUBE = """
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, x: {tensor}, out: pl.Out[{tensor}]) -> {tensor}:
        got: {whole} = pl.tpop_from_aiv(split={split})
        product = pl.tile.matmul(pl.move(got, target_memory=pl.Mem.Left), pl.move(got, target_memory=pl.Mem.Right))
        pl.tpush_to_aiv(product, split={split})
        return out
"""
VECTOR = """
    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, x: {tensor}, out: pl.Out[{tensor}]) -> {tensor}:
        pl.func_attr({{"split": pl.SplitMode.{mode}}})
        lane = pl.tile.get_subblock_idx()
        own = pl.load(x, [lane * 4, 0], [{rows}, 8])
        pl.tpush_to_aic(pl.add(own, 1.0), split={split})
        back: {half} = pl.tpop_from_aic(split={split})
        out = pl.store(back, [lane * 4, 0], out)
        return out
"""
GROUP = """
    @pl.function(type=pl.FunctionType.Group)
    def group(self, x: {tensor}, out: pl.Out[{tensor}]) -> {tensor}:
        self.{first}(x, out)
        result = self.{second}(x, out)
        return result
"""


def mixed(split: int, *, rows: int, mode: str, first: str = "cube", second: str = "vector", cube: str = CUBE) -> str:
    text = "@pl.program\nclass P:" + cube + VECTOR + GROUP
    facts = {"tensor": TENSOR, "whole": TILE.format(8, "Mat"), "half": TILE.format(rows, "Vec"), "mode": mode}
    return text.format(**facts, split=split, rows=rows, first=first, second=second)


@pytest.mark.parametrize("order", [("cube", "vector"), ("vector", "cube")])
def test_tiles_go_there_and_back_between_cube_and_vector_core(order: tuple[str, str]) -> None:
    text = mixed(0, rows=8, mode="NONE", first=order[0], second=order[1])
    assert np.array_equal(simulate(program(text), {"x": X}, entry="group").outputs["out"], (X + 1) @ (X + 1))


def test_two_lanes_push_halves_and_pop_halves() -> None:
    text = mixed(1, rows=4, mode="UP_DOWN")
    assert np.array_equal(simulate(program(text), {"x": X}, entry="group").outputs["out"], (X + 1) @ (X + 1))


def test_waiting_for_a_tile_that_nobody_pushes_is_an_error() -> None:
    silent = CUBE.replace("        pl.tpush_to_aiv(product, split={split})\n", "")
    text = mixed(0, rows=8, mode="NONE", cube=silent)
    with pytest.raises(UserError, match=r"tile\.tpop_from_aic waits for a tile that nobody pushes"):
        simulate(program(text), {"x": X}, entry="group")


REGION = f"""
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, x: {TENSOR}, out: pl.Out[{TENSOR}]) -> {TENSOR}:
        left = pl.load(x, [0, 0], [8, 8], target_memory=pl.Mem.Mat)
        product = pl.tile.matmul(pl.move(left, target_memory=pl.Mem.Left), pl.move(left, target_memory=pl.Mem.Right))
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            half = pl.add(pl.aiv_shard(product), 1.0)
            whole = pl.aic_gather(half)
        again = pl.tile.matmul(pl.move(whole, target_memory=pl.Mem.Left), pl.move(left, target_memory=pl.Mem.Right))
        out = pl.store(again, [0, 0], out)
        return out
"""


def test_a_region_divides_a_tile_between_lanes_and_joins_it_again() -> None:
    assert np.array_equal(simulate(program(REGION), {"x": X}).outputs["out"], (X @ X + 1) @ X)


BARRIER = f"""
@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(self, x: {TENSOR}, middle: pl.InOut[{TENSOR}], out: pl.Out[{TENSOR}]) -> {TENSOR}:
        i = pl.tile.get_block_idx()
        middle = pl.store(pl.add(pl.load(x, [i * 4, 0], [4, 8]), 1.0), [i * 4, 0], middle)
        pl.system.syncall(core_type="aiv_only")
        out = pl.store(pl.load(middle, [4 - i * 4, 0], [4, 8]), [i * 4, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: {TENSOR}, out: pl.Out[{TENSOR}]) -> {TENSOR}:
        middle = pl.create_tensor([8, 8], dtype=pl.FP32)
        with pl.spmd(2):
            out = self.kernel(x, middle, out)
        return out
"""


def test_blocks_wait_for_each_other_at_a_barrier() -> None:
    wanted = np.concatenate((X[4:], X[:4])) + 1
    assert np.array_equal(simulate(program(BARRIER), {"x": X}).outputs["out"], wanted)


def test_cores_take_turns_in_a_fixed_order() -> None:
    scheduler, seen = Scheduler(), []

    def core(name: str) -> str:
        for i in range(2):
            seen.append(f"{name}{i}")
            scheduler.barrier("all")
        return name

    assert scheduler.run([lambda: core("a"), lambda: core("b")]) == ["a", "b"]
    assert seen == ["a0", "b0", "a1", "b1"]


def test_an_error_of_one_core_ends_the_others() -> None:
    scheduler = Scheduler()
    ended = []

    def waiting() -> None:
        try:
            scheduler.wait(lambda: False, lambda: UserError("X", "never"))
        finally:
            ended.append(True)

    def failing() -> None:
        raise UserError("X", "this one")

    with pytest.raises(UserError, match="this one"):
        scheduler.run([waiting, failing])
    assert ended == [True]
