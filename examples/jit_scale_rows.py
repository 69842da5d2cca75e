# SPDX-License-Identifier: Apache-2.0
"""Scale a matrix row block by row block: one source for every shape and element type.

The shapes are those of the arguments, `rows` is the height of a block.
"""

import pypto.language as pl


@pl.jit.incore
def scale_block(
    x: pl.Tensor, factor: pl.Scalar[pl.FP32], start: pl.Scalar[pl.INDEX], rows: pl.INDEX, out: pl.Out[pl.Tensor]
):
    columns = x.shape[1]
    block = pl.load(x, [start, 0], [rows, columns])
    if x.dtype == pl.FP32:
        block = pl.mul(block, factor)
    else:
        block = pl.cast(pl.mul(pl.cast(block, pl.FP32), factor), x.dtype)
    out = pl.store(block, [start, 0], out)
    return out


@pl.jit
def scale_rows(x: pl.Tensor, factor: pl.Scalar[pl.FP32], out: pl.Out[pl.Tensor], rows: pl.INDEX = 16):
    for block in pl.range(x.shape[0] // rows):
        out = scale_block(x, factor, block * rows, rows, out)
    return out
