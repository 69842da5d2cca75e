# SPDX-License-Identifier: Apache-2.0
"""An operation with two results: where in each row a value occurs, and how often."""

import pypto.language as pl

ROWS, COLS, FOUND = 16, 64, 8


@pl.program
class GatherCompare:
    @pl.function(type=pl.FunctionType.InCore)
    def find(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.INT32],
        value: pl.Scalar[pl.INT32],
        places: pl.Out[pl.Tensor[[ROWS, FOUND], pl.INT32]],
        counts: pl.Out[pl.Tensor[[1, ROWS], pl.INT32]],
    ) -> tuple[pl.Tensor[[ROWS, FOUND], pl.INT32], pl.Tensor[[1, ROWS], pl.INT32]]:
        tile = pl.load(x, [0, 0], [ROWS, COLS])
        scratch = pl.create_tile([ROWS, COLS * 4], dtype=pl.UINT8, target_memory=pl.MemorySpace.Vec)
        found, count = pl.tile.gather_compare(tile, value, scratch, cmp_mode="eq", out_cols=FOUND)
        places = pl.store(found, [0, 0], places)
        counts = pl.store(count, [0, 0], counts)
        return places, counts

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.INT32],
        value: pl.Scalar[pl.INT32],
        places: pl.Out[pl.Tensor[[ROWS, FOUND], pl.INT32]],
        counts: pl.Out[pl.Tensor[[1, ROWS], pl.INT32]],
    ) -> tuple[pl.Tensor[[ROWS, FOUND], pl.INT32], pl.Tensor[[1, ROWS], pl.INT32]]:
        places, counts = self.find(x, value, places, counts)
        return places, counts
