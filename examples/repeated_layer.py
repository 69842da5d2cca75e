# SPDX-License-Identifier: Apache-2.0
"""A layer under a name: the loop calls the Graph function, and all its calls launch the same two kernels."""

import pypto.language as pl

LAYERS, ROWS, COLS = 3, 32, 128


@pl.program
class RepeatedLayer:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(
        self,
        state: pl.Tensor[[ROWS, COLS], pl.FP32],
        weights: pl.Tensor[[LAYERS * ROWS, COLS], pl.FP32],
        row: pl.Scalar[pl.INDEX],
        scaled: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        product = pl.mul(pl.load(state, [0, 0], [ROWS, COLS]), pl.load(weights, [row, 0], [ROWS, COLS]))
        return pl.store(product, [0, 0], scaled)

    @pl.function(type=pl.FunctionType.InCore)
    def join(
        self,
        scaled: pl.Tensor[[ROWS, COLS], pl.FP32],
        state: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        total = pl.add(pl.load(state, [0, 0], [ROWS, COLS]), pl.load(scaled, [0, 0], [ROWS, COLS]))
        return pl.store(pl.maximum(total, 0.0), [0, 0], state)

    @pl.function(type=pl.FunctionType.Graph)
    def layer(
        self,
        weights: pl.Tensor[[LAYERS * ROWS, COLS], pl.FP32],
        row: pl.Scalar[pl.INDEX],
        state: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        scaled = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
        scaled = self.scale(state, weights, row, scaled)
        state = self.join(scaled, state)
        return state

    @pl.function
    def main(
        self,
        weights: pl.Tensor[[LAYERS * ROWS, COLS], pl.FP32],
        state: pl.InOut[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        for i in pl.range(LAYERS):
            state = self.layer(weights, i * ROWS, state)
        return state
