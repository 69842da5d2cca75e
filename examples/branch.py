# SPDX-License-Identifier: Apache-2.0
"""A kernel with a branch on a scalar: clip or square."""

import pypto.language as pl

ROWS, COLS = 32, 64


@pl.program
class Branch:
    @pl.function(type=pl.FunctionType.InCore)
    def choose(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        mode: pl.Scalar[pl.INT32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        tile = pl.load(x, [0, 0], [ROWS, COLS])
        if mode == 0:
            chosen = pl.maximum(tile, 0.0)
        else:
            chosen = pl.mul(tile, tile)
        return pl.store(chosen, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        mode: pl.Scalar[pl.INT32],
        clipped: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        chosen: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> tuple[pl.Tensor[[ROWS, COLS], pl.FP32], pl.Tensor[[ROWS, COLS], pl.FP32]]:
        clipped = self.choose(x, pl.const(0, pl.INT32), clipped)
        chosen = self.choose(x, mode, chosen)
        return clipped, chosen
