# SPDX-License-Identifier: Apache-2.0
"""Verifiers of types: what meets agrees, regions fit, tiles say no more than needed."""

import pytest
from pypto_passes.verifiers.assign_type_symmetry import verify_assign_type_symmetry
from pypto_passes.verifiers.tile_type_coherence import verify_tile_type_coherence
from pypto_passes.verifiers.type_checked import verify_type_checked

from pypto_build import ir
from pypto_build.ir import DataType
from tests.passes.verifiers.findings import codes, found
from tests.unit.ir.build import INT64, assign, function, loop, number, program, scalar, tensor, tile

FLAG = scalar("flag", DataType.BOOL)
DOUBT = "; equality is not provable and this boundary has no runtime guard"


def branch(then, otherwise, result):
    """A branch that yields a value on each side."""
    return ir.IfStmt(FLAG, ir.YieldStmt((then,)), ir.YieldStmt((otherwise,)), (result,))


def of(*stmts, params=()):
    return program(function("f", params, *stmts))


def padded(value):
    view = ir.TensorView(valid_shape=(number(8),), pad=value)
    return ir.Var(f"pads_{value.name}", ir.TensorType((number(16),), DataType.FP32, None, view))


def laid_out(stride):
    view = ir.TileView(valid_shape=ir.dims((16, 16)), stride=ir.dims(stride))
    return ir.Var("t", ir.TileType(ir.dims((16, 16)), DataType.FP32, None, view, ir.MemorySpace.Vec))


N, M = scalar("n"), scalar("m")
WHERE = "in IfStmt: then yield value[0]"


@pytest.mark.parametrize(
    ("left", "right", "code", "message"),
    [
        (tensor("a", 4), tile("b", 4), 101, f"Type kind mismatch {WHERE} type 'TensorType' != {{}} type 'TileType'"),
        (scalar("a", INT64), scalar("b", DataType.FP32), 102, f"Dtype mismatch {WHERE} int64 != {{}} fp32"),
        (tensor("a", 4, 4), tensor("b", 4), 103, f"Shape dimension count mismatch {WHERE} has 2 != {{}} has 1"),
        (
            tensor("a", 4, 8),
            tensor("b", 4, 9),
            104,
            f"Shape dimension mismatch {WHERE} dimension[1] = 8, but {{}} dimension[1] = 9",
        ),
        (
            tensor("a", N),
            tensor("b", M),
            104,
            f"Shape dimension mismatch {WHERE} dimension[0] = n, but {{}} dimension[0] = m{DOUBT}",
        ),
        (
            padded(ir.PadValue.zero),
            padded(ir.PadValue.max),
            109,
            f"Tensor padding mismatch {WHERE} pads with zero != {{}} pads with max",
        ),
        (
            laid_out((16, 1)),
            laid_out((1, 16)),
            111,
            f"Tile view metadata mismatch {WHERE} stride [16, 1] != {{}} stride [1, 16]",
        ),
    ],
)
def test_what_two_branches_yield_must_agree(left, right, code, message):
    made = of(branch(left, right, left))
    assert found(verify_type_checked, made) == [(0, message.format("else yield value[0]"))]
    assert codes(verify_type_checked, made) == [code]


def test_equal_sizes_in_other_words_agree():
    left, right = (tensor("t", dim) for dim in (ir.binary("add", N, 4), ir.binary("add", ir.as_expr(4), N)))
    assert found(verify_type_checked, of(branch(left, right, left))) == []


def test_a_result_has_the_type_of_what_is_yielded():
    message = f"Dtype mismatch {WHERE} int64 != return_var[0] fp32"
    value = scalar("a", INT64)
    assert found(verify_type_checked, of(branch(value, value, scalar("r", DataType.FP32)))) == [(0, message)]


def test_a_branch_yields_as_many_values_as_it_has_results():
    made = ir.IfStmt(FLAG, ir.YieldStmt((N, M)), ir.YieldStmt((N,)), (N,))
    message = "IfStmt size mismatch: then yield values=2, else yield values=1, return_vars=1"
    assert found(verify_type_checked, of(made)) == [(0, message)]


@pytest.mark.parametrize(
    ("start", "declared", "handed", "result", "message"),
    [
        (4, 4, 4, 4, None),
        (5, 4, 4, 4, "iter_arg[0] initValue dimension[0] = 5, but declared iter_arg[0] dimension[0] = 4"),
        (4, 4, 5, 5, "declared iter_arg[0] dimension[0] = 4, but yield value[0] dimension[0] = 5"),
        (4, 4, 4, 5, "yield value[0] dimension[0] = 4, but return_var[0] dimension[0] = 5"),
    ],
)
def test_what_a_loop_carries_keeps_its_type(start, declared, handed, result, message):
    carried = ir.IterArg("c", tensor("t", declared).type, init_value=tensor("s", start))
    made = loop(
        scalar("i"),
        number(2),
        ir.YieldStmt((tensor("h", handed),)),
        iter_args=(carried,),
        return_vars=(tensor("r", result),),
    )
    made = ir.rebuilt(made, {"body": made.body.stmts[0]})
    expected = [] if message is None else [(0, f"Shape dimension mismatch in ForStmt: {message}")]
    assert found(verify_type_checked, of(made)) == expected


@pytest.mark.parametrize(
    ("condition", "code", "message"),
    [
        (tensor("c", 4), 106, "IfStmt condition must be ScalarType, but got TensorType"),
        (scalar("c", INT64), 108, "IfStmt condition dtype must be BOOL, but got int64"),
    ],
)
def test_a_condition_is_one_truth_value(condition, code, message):
    made = of(ir.IfStmt(condition, ir.SeqStmts(())))
    assert found(verify_type_checked, made) == [(0, message)]
    assert codes(verify_type_checked, made) == [code]


def test_a_range_is_made_of_scalars():
    made = of(loop(scalar("i"), tensor("stop", 4)))
    assert found(verify_type_checked, made) == [(0, "ForStmt stop must be ScalarType, but got TensorType")]


@pytest.mark.parametrize(
    ("valid", "message"),
    [
        ((8,), None),
        ((N,), None),
        ((17,), "dimension 0 extent 17 is larger than the physical shape extent 16"),
        ((-1,), "dimension 0 with provably negative extent -1"),
        ((4, 4), "rank mismatch: got rank 2, but the physical shape has rank 1"),
    ],
)
def test_a_valid_region_lies_inside_its_shape(valid, message):
    kind = ir.TensorType((number(16),), DataType.FP32, None, ir.TensorView(valid_shape=ir.dims(valid)))
    expected = [] if message is None else [(0, f"Var 'x' has invalid TensorType valid_shape {message}")]
    assert found(verify_type_checked, of(params=(ir.Var("x", kind),))) == expected


def test_both_sides_of_an_assignment_have_one_type():
    acc, vec = (tile("t", 16, 16, space=space) for space in (ir.MemorySpace.Acc, ir.MemorySpace.Vec))
    reason = "MemorySpace mismatch (MemorySpace.Acc != MemorySpace.Vec)"
    message = f"'t' and its value have different types at memory_space: {reason}"
    assert found(verify_assign_type_symmetry, of(assign(acc, vec))) == [(0, message)]
    assert found(verify_assign_type_symmetry, of(assign(tile("u", 16, 16, space=ir.MemorySpace.Vec), vec))) == []


def test_a_tile_that_states_what_is_implied_is_found():
    value = tile("t", 16, 16, space=ir.MemorySpace.Acc)
    implied = ir.implicit_tile_view(value.type.shape, ir.MemorySpace.Acc)
    assert found(verify_tile_type_coherence, of(params=(value,))) == []
    object.__setattr__(value.type, "tile_view", implied)
    ((_, message),) = found(verify_tile_type_coherence, of(params=(value,)))
    assert message.endswith("states the view that its shape and memory space imply: it should be left out")
