# SPDX-License-Identifier: Apache-2.0
"""Row blocks added in a pipeline of two stages: the next block is loaded while this one is computed."""

import pypto.language as pl

ROWS, COLS, BLOCK = 256, 64, 32


@pl.program
class PipelinedAdd:
    @pl.function(type=pl.FunctionType.InCore)
    def add(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        for row, (done,) in pl.pipeline(0, ROWS, BLOCK, stage=2, init_values=(out,)):
            tile_a = pl.load(a, [row, 0], [BLOCK, COLS])
            tile_b = pl.load(b, [row, 0], [BLOCK, COLS])
            total = pl.add(tile_a, tile_b)
            written = pl.store(total, [row, 0], done)
            out_rows = pl.yield_(written)
        return out_rows

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        out = self.add(a, b, out)
        return out
