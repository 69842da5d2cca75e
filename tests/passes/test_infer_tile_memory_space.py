# SPDX-License-Identifier: Apache-2.0
"""InferTileMemorySpace: the memory of every tile, and moves where producer and consumer disagree."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.infer_tile_memory_space import BRIDGE, InferTileMemorySpace, verify_tile_memory_inferred

from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, Function, MemorySpace, Program, TileType, collect, defined_vars, rebuilt
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs
from tests.unit.ir.build import assign, function, op, program, seq, tile

T = "pl.Tensor[[16, 16], pl.FP32]"
HEAD = "@pl.function(type=pl.FunctionType.{})\ndef kernel(self, x: {}, y: {}, n: pl.Scalar[pl.INDEX], out: pl.Out[{}]):"
WHOLE = "[0, 0], [16, 16]"
MAT = "a = LOAD(x, target_memory=pl.Mem.Mat)\nb = LOAD(y, target_memory=pl.Mem.Mat)\n"


def kernel(text: str, kind: str = "InCore") -> Program:
    """A kernel with two inputs and an output."""
    lines = dedent(text).strip()
    for name in ("x", "y"):
        lines = lines.replace(f"LOAD({name}", f"pl.tile.load({name}, {WHOLE}")
    return programs.program(f"{HEAD.format(kind, T, T, T)}\n{indent(lines, '    ')}")


def inferred(text: str) -> Function:
    """The kernel after the pass, which is in order and which another run leaves alone."""
    made = apply_pass(InferTileMemorySpace(), kernel(text))
    assert problems(made) == []
    programs.assert_unchanged(InferTileMemorySpace(), made)
    return programs.method(made, "kernel")


def spaces(text: str) -> str:
    """The memory of each tile by name."""
    found = [var for var in defined_vars([inferred(text).body]) if isinstance(var.type, TileType)]
    return " ".join(f"{var.name_hint}:{var.type.memory_space.name}" for var in found if var.type.memory_space)


def problems(made: Program) -> list[str]:
    """What the verifier says."""
    return [found.message for found in verify_tile_memory_inferred(made, PassContext())]


def test_a_load_for_vector_work_goes_to_the_vector_memory():
    assert spaces("a = LOAD(x)\nb = pl.tile.adds(a, 1.0)") == "a:Vec b:Vec"


def test_operands_of_a_product_are_moved_and_the_result_is_an_accumulator():
    assert spaces(MAT + "c = pl.tile.matmul(a, b)") == "a:Mat b:Mat a_Left:Left b_Right:Right c:Acc"


def test_the_moves_stand_right_before_the_product():
    moves = "l = pl.tile.move(a, target_memory=pl.Mem.Left)\nr = pl.tile.move(b, target_memory=pl.Mem.Right)\n"
    expected = kernel(MAT + moves + "c = pl.tile.matmul(l, r)")
    programs.assert_becomes(InferTileMemorySpace(), kernel(MAT + "c = pl.tile.matmul(a, b)"), expected)


def test_a_move_serves_later_consumers_of_the_same_region():
    text = """
        a = LOAD(x, target_memory=pl.Mem.Mat)
        b = LOAD(y, target_memory=pl.Mem.Mat)
        c = pl.tile.matmul(a, b)
        d = pl.tile.matmul_acc(c, a, b)
    """
    assert spaces(text) == "a:Mat b:Mat a_Left:Left b_Right:Right c:Acc d:Acc"


def test_a_move_in_a_branch_does_not_serve_what_follows():
    text = """
        a = LOAD(x, target_memory=pl.Mem.Mat)
        b = LOAD(y, target_memory=pl.Mem.Mat)
        if n == 0:
            c = pl.tile.matmul(a, b)
        d = pl.tile.matmul(a, b)
    """
    assert spaces(text).count("a_Left:Left") == 2


def test_an_accumulator_that_vector_work_reads_is_moved():
    text = """
        a = LOAD(x, target_memory=pl.Mem.Mat)
        b = LOAD(y, target_memory=pl.Mem.Mat)
        c = pl.tile.matmul(a, b)
        d = pl.tile.adds(c, 1.0)
    """
    assert spaces(text).endswith("c:Acc c_Vec:Vec d:Vec")


def test_a_view_lives_where_its_tile_lives():
    text = "a = LOAD(x, target_memory=pl.Mem.Mat)\nb = pl.tile.transpose_view(a)"
    assert spaces(text) == "a:Mat b:Mat"


def test_a_carry_lives_where_what_it_starts_from_lives():
    text = """
        a = LOAD(x)
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b = pl.tile.adds(acc, 1.0)
            last = pl.yield_(b)
    """
    assert sorted(spaces(text).split()) == ["a:Vec", "acc:Vec", "b:Vec", "last:Vec"]


def test_a_call_says_of_its_result_what_the_variable_says():
    """Both types are one: what reads the call and what reads the variable agree."""
    text = """
        a = LOAD(x, target_memory=pl.Mem.Mat)
        b = LOAD(y, target_memory=pl.Mem.Mat)
        c = pl.tile.matmul(a, b)
        d = pl.tile.adds(c, 1.0)
        e = pl.tile.reshape(d, [8, 32])
    """
    stmts = [stmt for stmt in collect(inferred(text), AssignStmt) if isinstance(stmt.value, Call)]
    assert [stmt.var.name_hint for stmt in stmts if stmt.var.type != stmt.value.type] == []


def test_the_memory_that_an_attribute_means_when_it_is_left_out_stays_out():
    """What is printed is read without it."""
    text = """
        k = pl.tile.cast(LOAD(x), pl.INT32)
        r = pl.tile.slice(k, [1, 16], [0, 0])
        g = pl.tile.mgather(y, r)
    """
    (gather,) = (call for call in collect(inferred(text), Call) if call.op.name == "tile.mgather")
    assert dict(gather.kwargs) == {"coalesce": 0}


def test_a_call_without_a_stated_memory_says_it_too():
    """A load or a view that comes without a memory has one on both sides afterwards."""
    made = kernel("a = LOAD(x)\nb = pl.tile.reshape(a, [8, 32])")
    bare = without_spaces(made)
    after = programs.method(apply_pass(InferTileMemorySpace(), bare), "kernel")
    types = [(stmt.var.type.memory_space, stmt.value.type.memory_space) for stmt in collect(after, AssignStmt)]
    assert types == [(MemorySpace.Vec, MemorySpace.Vec)] * 2


def without_spaces(made: Program) -> Program:
    """The kernel with tiles that are nowhere, in calls and in variables."""
    main = programs.method(made, "kernel")
    old = {var: rebuilt(var, {"type": rebuilt(var.type, {"memory_space": None})}) for var in defined_vars([main.body])}
    stmts = []
    for stmt in collect(main, AssignStmt):
        args = tuple(old.get(arg, arg) for arg in stmt.value.args)
        changes = {"args": args, "type": rebuilt(stmt.value.type, {"memory_space": None})}
        kwargs = {name: value for name, value in stmt.value.kwargs.items() if name != "target_memory"}
        value = rebuilt(stmt.value, {**changes, "kwargs": type(stmt.value.kwargs)(kwargs)})
        stmts.append(rebuilt(stmt, {"var": old[stmt.var], "value": value}))
    return made.with_functions([rebuilt(main, {"body": seq(*stmts)})])


def test_a_call_of_an_unknown_operation_says_it_too():
    made = tile("t", 16, 16)
    kind = kind_of("InCore")
    before = program(function("k", (), assign(made, op("any.op", type=made.type)), func_type=kind))
    (stmt,) = collect(apply_pass(InferTileMemorySpace(), before), AssignStmt)
    assert stmt.value.type == stmt.var.type
    assert stmt.var.type.memory_space is MemorySpace.Vec


def test_a_load_that_the_compiler_made_for_a_product_loses_its_mark():
    text = f"a = LOAD(x, target_memory=pl.Mem.Mat, attrs={{'{BRIDGE}': True}})\nb = pl.tile.transpose_view(a)"
    assert [call for call in collect(inferred(text), Call) if BRIDGE in call.attrs] == []


@pytest.mark.parametrize("kind", ["Orchestration", "Group", "Opaque"])
def test_a_function_that_is_no_kernel_is_left_alone(kind: str):
    programs.assert_unchanged(InferTileMemorySpace(), kernel("t = pl.tensor.adds(x, 1.0)", kind))


def test_a_tile_as_parameter_is_refused():
    param = tile("t", 16, 16)
    with pytest.raises(UserError) as caught:
        apply_pass(InferTileMemorySpace(), program(function("k", (param,), func_type=kind_of("InCore"))))
    assert (caught.value.code, caught.value.message) == ("SPACE001", "parameter 't' of kernel 'k' is a tile")
    assert caught.value.span == param.span
    assert caught.value.help == "pass a tensor and load it in the kernel"


def kind_of(name: str) -> object:
    """The kind of a function."""
    return type(programs.method(kernel("k = n + 1"), "kernel").func_type)[name]


def test_a_tile_without_a_memory_is_reported():
    made = without_spaces(kernel("a = LOAD(x)"))
    assert problems(made) == ["tile 'a' in kernel 'kernel' has no memory space"]


def test_an_operand_in_the_wrong_memory_is_reported():
    made = kernel(MAT + "c = pl.tile.matmul(a, b)")
    text = "argument {} of tile.matmul in kernel 'kernel' is in Mat, but must be in {}"
    assert problems(made) == [text.format(0, "Left"), text.format(1, "Right")]
