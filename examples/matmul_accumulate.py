# SPDX-License-Identifier: Apache-2.0
"""A matrix product in slices of the inner dimension, added up in the accumulator."""

import pypto.language as pl

SIZE, INNER, SLICE = 64, 128, 32


@pl.program
class MatmulAccumulate:
    @pl.function(type=pl.FunctionType.InCore)
    def product(
        self,
        a: pl.Tensor[[SIZE, INNER], pl.FP32],
        b: pl.Tensor[[INNER, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        a_first = pl.load(a, [0, 0], [SIZE, SLICE], target_memory=pl.MemorySpace.Mat)
        b_first = pl.load(b, [0, 0], [SLICE, SIZE], target_memory=pl.MemorySpace.Mat)
        left_first = pl.move(a_first, target_memory=pl.MemorySpace.Left)
        right_first = pl.move(b_first, target_memory=pl.MemorySpace.Right)
        first = pl.matmul(left_first, right_first)
        for k, (partial,) in pl.range(SLICE, INNER, SLICE, init_values=(first,)):
            a_l1 = pl.load(a, [0, k], [SIZE, SLICE], target_memory=pl.MemorySpace.Mat)
            b_l1 = pl.load(b, [k, 0], [SLICE, SIZE], target_memory=pl.MemorySpace.Mat)
            left = pl.move(a_l1, target_memory=pl.MemorySpace.Left)
            right = pl.move(b_l1, target_memory=pl.MemorySpace.Right)
            total = pl.matmul_acc(partial, left, right)
            result = pl.yield_(total)
        return pl.store(result, [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[SIZE, INNER], pl.FP32],
        b: pl.Tensor[[INNER, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        out = self.product(a, b, out)
        return out
