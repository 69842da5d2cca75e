# SPDX-License-Identifier: Apache-2.0
"""Layer norm over the rows of a matrix, with a gain and a shift per column; row blocks in a loop."""

import pypto.language as pl

ROWS, COLS, BLOCK = 128, 64, 32
EPSILON = 1e-5


@pl.program
class LayerNorm:
    @pl.function(type=pl.FunctionType.InCore)
    def normalize(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        gain: pl.Tensor[[1, COLS], pl.FP32],
        shift: pl.Tensor[[1, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        gain_tile = pl.load(gain, [0, 0], [1, COLS])
        shift_tile = pl.load(shift, [0, 0], [1, COLS])
        for block, (done,) in pl.range(0, ROWS, BLOCK, init_values=(out,)):
            tile = pl.load(x, [block, 0], [BLOCK, COLS])
            scratch = pl.create_tile([BLOCK, COLS], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            mean = pl.mul(pl.row_sum(tile, scratch), 1.0 / COLS)
            centred = pl.row_expand_sub(tile, mean)
            squares = pl.mul(centred, centred)
            scratch_squares = pl.create_tile([BLOCK, COLS], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            variance = pl.mul(pl.row_sum(squares, scratch_squares), 1.0 / COLS)
            deviation = pl.sqrt(pl.add(variance, EPSILON))
            scaled = pl.row_expand_div(centred, deviation)
            result = pl.col_expand_add(pl.col_expand_mul(scaled, gain_tile), shift_tile)
            written = pl.store(result, [block, 0], done)
            out_rows = pl.yield_(written)
        return out_rows

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        gain: pl.Tensor[[1, COLS], pl.FP32],
        shift: pl.Tensor[[1, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        out = self.normalize(x, gain, shift, out)
        return out
