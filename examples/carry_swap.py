# SPDX-License-Identifier: Apache-2.0
"""Two buffers that change places in every iteration: each step reads one and writes the other."""

import pypto.language as pl

SIZE, STEPS = 32, 5


@pl.program
class CarrySwap:
    @pl.function(type=pl.FunctionType.InCore)
    def step(
        self,
        source: pl.Tensor[[SIZE, SIZE], pl.FP32],
        target: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        tile = pl.load(source, [0, 0], [SIZE, SIZE])
        return pl.store(pl.add(pl.mul(tile, 0.5), 1.0), [0, 0], target)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        ping: pl.InOut[pl.Tensor[[SIZE, SIZE], pl.FP32]],
        pong: pl.InOut[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> tuple[pl.Tensor[[SIZE, SIZE], pl.FP32], pl.Tensor[[SIZE, SIZE], pl.FP32]]:
        for _step, (source, target) in pl.range(0, STEPS, init_values=(ping, pong)):
            written = self.step(source, target)
            last, before = pl.yield_(written, source)
        return last, before
