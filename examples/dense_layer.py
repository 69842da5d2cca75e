# SPDX-License-Identifier: Apache-2.0
"""A product and what follows it in one scope: the compiler cuts it into a kernel for each core, with a pipe between."""

import pypto.language as pl

ROWS, INNER, COLS = 32, 64, 64


@pl.program
class DenseLayer:
    @pl.function
    def main(
        self,
        x: pl.Tensor[[ROWS, INNER], pl.FP16],
        weight: pl.Tensor[[INNER, COLS], pl.FP16],
        bias: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            product = pl.matmul(x, weight, out_dtype=pl.FP32)
            shifted = pl.add(product, bias)
            positive = pl.maximum(shifted, pl.mul(shifted, 0.1))
            out = pl.assemble(out, positive, [0, 0])
        return out
