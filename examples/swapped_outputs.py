# SPDX-License-Identifier: Apache-2.0
"""A kernel that stores and returns its two outputs in the other order than it declares them."""

import pypto.language as pl

SIZE = 256


@pl.program
class SwappedOutputs:
    @pl.function(type=pl.FunctionType.InCore)
    def sum_and_product(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Tensor[[1, SIZE], pl.FP32],
        total: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        product: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        x_tile = pl.load(x, [0, 0], [1, SIZE])
        y_tile = pl.load(y, [0, 0], [1, SIZE])
        product_out = pl.store(pl.mul(x_tile, y_tile), [0, 0], product)
        total_out = pl.store(pl.add(x_tile, y_tile), [0, 0], total)
        return product_out, total_out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Tensor[[1, SIZE], pl.FP32],
        total: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
        product: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> tuple[pl.Tensor[[1, SIZE], pl.FP32], pl.Tensor[[1, SIZE], pl.FP32]]:
        product, total = self.sum_and_product(x, y, total, product)
        return total, product
