# SPDX-License-Identifier: Apache-2.0
"""A loop in the orchestration that carries one buffer, updated in place by every task."""

import pypto.language as pl

SIZE, STEPS = 32, 5


@pl.program
class CarryInPlace:
    @pl.function(type=pl.FunctionType.InCore)
    def accumulate(
        self,
        x: pl.Tensor[[SIZE, SIZE], pl.FP32],
        total: pl.InOut[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        x_tile = pl.load(x, [0, 0], [SIZE, SIZE])
        total_tile = pl.load(total, [0, 0], [SIZE, SIZE])
        return pl.store(pl.add(x_tile, total_tile), [0, 0], total)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[SIZE, SIZE], pl.FP32],
        total: pl.InOut[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        for _step, (carried,) in pl.range(0, STEPS, init_values=(total,)):
            updated = self.accumulate(x, carried)
            result = pl.yield_(updated)
        return result
