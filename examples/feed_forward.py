# SPDX-License-Identifier: Apache-2.0
"""A feed-forward block of two kernels: a matrix product on the cube core, then a gate on the vector core."""

import pypto.language as pl

SIZE = 64


@pl.program
class FeedForward:
    @pl.function(type=pl.FunctionType.InCore)
    def project(
        self,
        x: pl.Tensor[[SIZE, SIZE], pl.FP32],
        weight: pl.Tensor[[SIZE, SIZE], pl.FP32],
        hidden: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        x_l1 = pl.load(x, [0, 0], [SIZE, SIZE], target_memory=pl.MemorySpace.Mat)
        weight_l1 = pl.load(weight, [0, 0], [SIZE, SIZE], target_memory=pl.MemorySpace.Mat)
        left = pl.move(x_l1, target_memory=pl.MemorySpace.Left)
        right = pl.move(weight_l1, target_memory=pl.MemorySpace.Right)
        return pl.store(pl.matmul(left, right), [0, 0], hidden)

    @pl.function(type=pl.FunctionType.InCore)
    def gate(
        self,
        hidden: pl.Tensor[[SIZE, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        tile = pl.load(hidden, [0, 0], [SIZE, SIZE])
        sigmoid = pl.recip(pl.add(pl.exp(pl.neg(tile)), 1.0))
        return pl.store(pl.mul(tile, sigmoid), [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[SIZE, SIZE], pl.FP32],
        weight: pl.Tensor[[SIZE, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        hidden = pl.create_tensor([SIZE, SIZE], dtype=pl.FP32)
        hidden = self.project(x, weight, hidden)
        out = self.gate(hidden, out)
        return out
