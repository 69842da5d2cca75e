# SPDX-License-Identifier: Apache-2.0
"""FoldNoOpReshape: which reshapes become aliases."""

from pypto_passes.fold_no_op_reshape import FoldNoOpReshape

from pypto_build.ir import Var
from pypto_build.passes import apply_pass
from tests.passes.tile_places import TO_ADDRESSES, after, function_of, kernel

KERNEL = """
    a: Vec16 = LOAD
    b: Vec16 = pl.tile.reshape(a, [16, 16])
    STORE(b)
"""


def test_a_reshape_to_the_same_shape_in_the_same_place_is_an_alias():
    made = after((*TO_ADDRESSES, FoldNoOpReshape()), kernel(KERNEL))
    (alias,) = [stmt for stmt in function_of(made).body.stmts[:-1] if isinstance(stmt.value, Var)]
    assert (alias.var.name_hint, alias.value.name_hint) == ("b", "a")


def test_a_reshape_to_another_shape_stays():
    body = "a: Vec16 = LOAD\nb: pl.Tile[[1, 256], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(a, [1, 256])\nreturn out"
    made = after(TO_ADDRESSES, kernel(body))
    assert apply_pass(FoldNoOpReshape(), made) is made


def test_a_reshape_without_a_place_stays():
    before = kernel(KERNEL)
    assert apply_pass(FoldNoOpReshape(), before) is before


def test_functions_that_are_no_kernels_stay():
    made = after(TO_ADDRESSES, kernel(KERNEL, "pl.FunctionType.Opaque"))
    assert apply_pass(FoldNoOpReshape(), made) is made
