# SPDX-License-Identifier: Apache-2.0
"""RMS norm over the rows of a matrix; the kernel is written as a scope inside the orchestration."""

import pypto.language as pl

ROWS, COLS = 64, 128
EPSILON = 1e-6


@pl.program
class RmsNorm:
    @pl.function
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        weight: pl.Tensor[[1, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="rms_norm_rows"):
            tile = pl.load(x, [0, 0], [ROWS, COLS])
            scratch = pl.create_tile([ROWS, COLS], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
            mean_square = pl.mul(pl.row_sum(pl.mul(tile, tile), scratch), 1.0 / COLS)
            root = pl.sqrt(pl.add(mean_square, EPSILON))
            scaled = pl.row_expand_div(tile, root)
            weighted = pl.col_expand_mul(scaled, pl.load(weight, [0, 0], [1, COLS]))
            out = pl.store(weighted, [0, 0], out)
        return out
