# SPDX-License-Identifier: Apache-2.0
"""Softmax over the rows of a matrix, shifted by the row maximum so that nothing overflows."""

import pypto.language as pl

ROWS, COLS = 64, 64


@pl.program
class Softmax:
    @pl.function(type=pl.FunctionType.InCore)
    def softmax(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        tile = pl.load(x, [0, 0], [ROWS, COLS])
        scratch = pl.create_tile([ROWS, COLS], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
        top = pl.row_max(tile, scratch)
        shifted = pl.row_expand_sub(tile, top)
        powers = pl.exp(shifted)
        scratch_sum = pl.create_tile([ROWS, COLS], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
        total = pl.row_sum(powers, scratch_sum)
        result = pl.row_expand_div(powers, total)
        return pl.store(result, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        out = self.softmax(x, out)
        return out
