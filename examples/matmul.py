# SPDX-License-Identifier: Apache-2.0
"""A 64 x 64 matrix product on the cube core: global memory, L1, L0, accumulator, global memory."""

import pypto.language as pl

SIZE = 64


@pl.program
class Matmul:
    @pl.function(type=pl.FunctionType.InCore)
    def product(
        self,
        a: pl.Tensor[[SIZE, SIZE], pl.FP32],
        b: pl.Tensor[[SIZE, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        a_l1 = pl.load(a, [0, 0], [SIZE, SIZE], target_memory=pl.MemorySpace.Mat)
        b_l1 = pl.load(b, [0, 0], [SIZE, SIZE], target_memory=pl.MemorySpace.Mat)
        a_l0 = pl.move(a_l1, target_memory=pl.MemorySpace.Left)
        b_l0 = pl.move(b_l1, target_memory=pl.MemorySpace.Right)
        result = pl.matmul(a_l0, b_l0)
        return pl.store(result, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[SIZE, SIZE], pl.FP32],
        b: pl.Tensor[[SIZE, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        out = self.product(a, b, out)
        return out
