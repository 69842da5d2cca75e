# SPDX-License-Identifier: Apache-2.0
"""A scope written with whole tensors: the compiler outlines it and finds the loads and stores by itself."""

import pypto.language as pl

ROWS, COLS = 64, 64


@pl.program
class TensorScope:
    @pl.function
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        y: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            total = pl.add(x, y)
            result = pl.mul(total, 0.5)
            out = pl.assemble(out, result, [0, 0])
        return out
