# SPDX-License-Identifier: Apache-2.0
"""A loop in the orchestration that carries a tensor made anew in every iteration."""

import pypto.language as pl

SIZE, STEPS = 32, 4


@pl.program
class CarryRebind:
    @pl.function(type=pl.FunctionType.InCore)
    def double_and_add(
        self,
        x: pl.Tensor[[SIZE, SIZE], pl.FP32],
        state: pl.Tensor[[SIZE, SIZE], pl.FP32],
        fresh: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        x_tile = pl.load(x, [0, 0], [SIZE, SIZE])
        state_tile = pl.load(state, [0, 0], [SIZE, SIZE])
        return pl.store(pl.add(pl.mul(state_tile, 2.0), x_tile), [0, 0], fresh)

    @pl.function(type=pl.FunctionType.InCore)
    def copy(
        self,
        state: pl.Tensor[[SIZE, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        return pl.store(pl.load(state, [0, 0], [SIZE, SIZE]), [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[SIZE, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        state = x
        for _step in pl.range(STEPS):
            fresh = pl.create_tensor([SIZE, SIZE], dtype=pl.FP32)
            state = self.double_and_add(x, state, fresh)
        out = self.copy(state, out)
        return out
