# SPDX-License-Identifier: Apache-2.0
"""An operation with several results on its way through the first passes: versions, statements, directions."""

from __future__ import annotations

from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.flatten_call_expr import FlattenCallExpr
from pypto_passes.written_params import written_params

from pypto_build.ir import (
    ArgEffect,
    Call,
    DataType,
    ForStmt,
    MemorySpace,
    ParamDirection,
    Program,
    TileType,
    TupleGetItemExpr,
    TupleType,
    Var,
    collect,
    dims,
)
from pypto_build.ops import ArgDef, OpDef, Operands, OpRegistry, builtin_registry
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.passes.tile_places import TO_ADDRESSES, after, function_of, kernel
from tests.unit.ir.build import assign, function, give, tensor

HEAD = """
@pl.function(type=pl.FunctionType.InCore, auto_scope=False)
def f(self, x: pl.Tensor[[16, 64], pl.FP32], t: pl.Tile[[16, 256], pl.UINT8, pl.Mem.Vec], n: pl.Scalar[pl.INDEX]):
"""
COMPARED = "pl.tile.gather_compare(a, 0.5, t, out_cols=8)"
LOADED = "a = pl.tile.load(x, [0, 0], [16, 64])\n"
VEC = MemorySpace.Vec
IN, OUT, INOUT = ParamDirection.In, ParamDirection.Out, ParamDirection.InOut


def body(text: str) -> Program:
    return programs.body(HEAD, text)


def test_each_assignment_of_a_tuple_variable_is_a_version():
    """MO-40."""
    again = LOADED + f"w = {COMPARED}\ni = w[0]\nw = {COMPARED}\ni = w[0]\nc = w[1]\nreturn n"
    expected = LOADED + f"w0 = {COMPARED}\ni0 = w0[0]\nw1 = {COMPARED}\ni1 = w1[0]\nc = w1[1]\nreturn n"
    made = programs.assert_becomes(ConvertToSSA(), body(again), body(expected))
    assert "w__ssa_v1[1]" in str(made)


def test_a_tuple_variable_that_two_branches_assign_is_one_value_after_them():
    """MO-40: its version after the branches is the merged one, and the elements come from that."""
    before = f"{LOADED}w = {COMPARED}\nif n > 2:\n    w = {COMPARED}\ni = w[0]\nreturn n"
    made = str(programs.method(apply_pass(ConvertToSSA(), body(before)), "f"))
    assert "pl.yield_(w__ssa_v1)" in made
    assert "= w__phi_v2[0]" in made


def test_a_variable_in_the_types_of_the_elements_is_renamed_with_its_uses():
    """MO-40."""
    rows = "r = n\nr = r + 1\na = pl.tile.load(x, [0, 0], [16, 64], valid_shape=[r, 64])\n"
    made = programs.method(apply_pass(ConvertToSSA(), body(f"{rows}w = {COMPARED}\nreturn n")), "f")
    (call,) = [call for call in collect(made, Call) if call.op.name == "tile.gather_compare"]
    assert isinstance(call.type, TupleType)
    assert "valid_shape=[r__ssa_v1, 8]" in str(call.type)
    assert "valid_shape=[1, r__ssa_v1]" in str(call.type)


def test_results_that_are_needed_after_their_loop_are_carries_of_their_own():
    """MO-43."""
    before = (
        f"{LOADED}for k in pl.range(4):\n    i, c = {COMPARED}\nu = pl.tile.add(i, i)\nv = pl.tile.add(c, c)\nreturn n"
    )
    made = programs.method(apply_pass(ConvertToSSA(), body(before)), "f")
    (over,) = collect(made, ForStmt)
    assert [arg.name_hint for arg in over.iter_args] == ["c__iter_v1", "i__iter_v1"]
    assert [str(arg.type) for arg in over.iter_args] == [
        str(TileType(dims(s), DataType.INT32, None, None, VEC)) for s in ([1, 16], [16, 8])
    ]


def test_a_call_with_two_results_stays_where_it_is():
    """MO-41."""
    programs.assert_unchanged(FlattenCallExpr(), body(f"{LOADED}i, c = {COMPARED}\nreturn n"))


def test_only_what_is_nested_in_a_call_with_two_results_moves_out():
    """MO-41: in a loop, where the operand moves to the place in front of the call."""
    nested = COMPARED.replace("(a,", "(pl.tile.load(x, [0, 0], [16, 64]),")
    before = f"for k in pl.range(4):\n    i, c = {nested}\n"
    expected = f"for k in pl.range(4):\n    {LOADED}    i, c = {COMPARED}\n"
    programs.assert_becomes(FlattenCallExpr(), body(f"{before}return n"), body(f"{expected}return n"))


def compared() -> tuple[Program, Call]:
    """A kernel whose tiles have addresses, and its comparison."""
    tile = "pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec]"
    made = f"t: {tile} = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)"
    program = after(TO_ADDRESSES, kernel(f"a: Vec16 = LOAD\n{made}\ni, k = {COMPARED}\nreturn out"))
    (call,) = [one for one in collect(function_of(program), Call) if one.op.name == "tile.gather_compare"]
    return program, call


def test_a_workspace_is_no_result_of_the_operation():
    """MO-29: the two results are the indices and the counts; no element has the type of the bytes."""
    _, call = compared()
    assert isinstance(call.type, TupleType)
    assert [one.dtype for one in call.type.types if isinstance(one, TileType)] == [DataType.INT32, DataType.INT32]


def test_a_destination_is_no_argument_even_when_it_has_an_address():
    """MO-29."""
    _, call = compared()
    assert [one.name_hint for one in call.args if isinstance(one, Var)] == ["a", "t"]


def ranked(operands: Operands) -> TupleType:
    return TupleType((operands.args[0].type, operands.args[0].type))


def with_workspace() -> OpRegistry:
    """The built-in operations, and one of a plugin with two results and a tensor for its workspace."""
    effects = {0: ArgEffect.Read, 1: ArgEffect.Write}
    facts = {"output_arity": 2, "effects": effects, "workspace_args": (1,)}
    args = (ArgDef("src"), ArgDef("tmp"))
    return builtin_registry().extended([OpDef(name="my.rank", category="MyOp", deduce=ranked, args=args, **facts)])


def directions(*, read_again: bool) -> tuple[ParamDirection, ...]:
    """What a function does to `x`, which the operation reads, and to `w`, its workspace."""
    ops, x, w, y = with_workspace(), tensor("x", 16), tensor("w", 16), tensor("y", 16)
    call = ops.create_call("my.rank", [x, w])
    both = Var("_tuple_tmp", call.type)
    stmts = [assign(both, call), assign(y, TupleGetItemExpr(both, 0))]
    stmts += [assign(tensor("z", 16), ops.create_call("tensor.add", [y, w]))] if read_again else []
    return written_params(function("f", (x, w), *stmts, give(y)), ops, directions={}, returned=lambda _: None)


def test_a_workspace_is_written():
    """MO-30."""
    assert directions(read_again=False) == (IN, OUT)


def test_a_workspace_that_is_read_as_well_is_both():
    """MO-30."""
    assert directions(read_again=True) == (IN, INOUT)
