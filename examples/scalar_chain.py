# SPDX-License-Identifier: Apache-2.0
"""An element-wise chain with scalars: constants, a scalar parameter and a value computed on the host side."""

import pypto.language as pl

ROWS, COLS = 64, 128


@pl.program
class ScalarChain:
    @pl.function(type=pl.FunctionType.InCore)
    def chain(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        scale: pl.Scalar[pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        tile = pl.load(x, [0, 0], [ROWS, COLS])
        tile = pl.mul(tile, scale)
        tile = pl.add(tile, 1.5)
        tile = pl.maximum(tile, pl.mul(tile, 0.1))
        tile = pl.exp(pl.neg(pl.abs(tile)))
        return pl.store(tile, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[ROWS, COLS], pl.FP32],
        scale: pl.Scalar[pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        out = self.chain(x, scale, out)
        return out
