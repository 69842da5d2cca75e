# SPDX-License-Identifier: Apache-2.0
"""Two matrices added by one vector kernel: load, add, store."""

import pypto.language as pl

ROWS, COLS = 128, 128


@pl.program
class VectorAdd:
    @pl.function(type=pl.FunctionType.InCore)
    def add(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        tile_a = pl.load(a, [0, 0], [ROWS, COLS])
        tile_b = pl.load(b, [0, 0], [ROWS, COLS])
        tile_sum = pl.add(tile_a, tile_b)
        return pl.store(tile_sum, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        out = self.add(a, b, out)
        return out
