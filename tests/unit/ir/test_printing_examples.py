# SPDX-License-Identifier: Apache-2.0
"""What users do not write reads back as well: allocations, declared slots, window domains, host bodies, attributes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pypto_build import ir
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.text import parse
from pypto_build.ir import MemorySpace, Role, SplitMode
from pypto_build.ir.equal import assert_structural_equal
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import FP16, FP32, INDEX, INT64, assign, call, function, number, program, scalar, tensor
from tests.unit.ir.kernel_ops import ORIGIN, SHAPE, registry

X, N = tensor("x", 16, 16), scalar("n")
WORKER = {"level": ir.Level.HOST, "role": Role.SubWorker}
HOST = {"level": ir.Level.HOST, "role": Role.Orchestrator}


def function_of(*stmts: ir.Stmt, params: tuple[ir.Var, ...] = (X,), **fields: object) -> ir.Program:
    return program(function("f", params, **fields).replace(body=ir.sequence(stmts)))


def made(name: str, /, *args: ir.Expr, **kwargs: object) -> ir.Call:
    return registry().create_call(name, args, kwargs)


def placed(memref: ir.MemRef) -> tuple[ir.Var, ir.Stmt]:
    """A tile at a place in memory, and the statement that loads it."""
    loaded = made("tile.load", X, ORIGIN, SHAPE, SHAPE, target_memory=MemorySpace.Vec)
    tile = ir.Var("t", loaded.type.replace(memref=memref))
    return tile, assign(tile, loaded)


def allocation() -> ir.Program:
    base = ir.Var("mem_vec_3", ir.PTR_TYPE)
    ref = ir.MemRef("mem_vec_3", base=base, byte_offset=number(0, INT64), size=1024)
    tile, load = placed(ref)
    other = ir.Var("u", tile.type)
    alloc = assign(base, made("tile.alloc", number(MemorySpace.Vec.value), number(2048), pinned=True))
    return function_of(alloc, load, assign(other, made("tile.add", tile, tile)))


def declared_slots() -> ir.Program:
    index = scalar("i")
    base = ir.Var("ping", ir.PTR_TYPE)
    slot = ir.FloorMod(index, number(2), INDEX)
    ref = ir.MemRef("ping", base=base, byte_offset=number(0), is_pinned=True, slot_count=2, slot_index=slot)
    _, load = placed(ref)
    return function_of(ir.ForStmt(index, number(0), number(4), number(1), (), load, ()))


def window_domain(**flags: bool) -> ir.Program:
    base, ranks = ir.Var("buf", ir.PTR_TYPE), scalar("ranks", INT64)
    size = ir.Mul(ranks, number(4), INT64)
    buffer = ir.WindowBuffer("buf", base=base, size=size, **flags)
    window = made("pld.tensor.window", base, ir.MakeTuple((number(4),)), dtype=FP32)
    view = ir.Var("view", window.type.replace(window_buffer=buffer))
    body = [
        assign(ranks, made("pld.system.world_size")),
        assign(base, made("pld.tensor.alloc_window_buffer", size, name="buf")),
        assign(view, window.replace(type=view.type)),
        ir.ReturnStmt((number(0),)),
    ]
    return function_of(ir.CommDomainScopeStmt(ir.sequence(body), (0, 1), (buffer,), "comm_d0"), params=(), **HOST)


def host_body() -> ir.Program:
    return function_of(ir.InlineStmt("total = x.sum()\nif total > 0:\n    print(total)"), **WORKER)


def bound_at_run_time() -> ir.Program:
    return function_of(requires_runtime_binding=True, attrs=ir.frozen_map({"tag": 1}), **WORKER)


def external_kernel() -> ir.Program:
    attrs = ir.frozen_map({"external_source": "/kernels/k.cpp", "dual_aiv_dispatch": True})
    return function_of(func_type=ir.FunctionType.AIV, level=ir.Level.AIV, role=Role.SubWorker, attrs=attrs)


def function_attributes() -> ir.Program:
    attrs = ir.frozen_map({"stationary": X, "split": 2, "core_num": made("system.available_cluster_count")})
    return function_of(ir.ReturnStmt((X,)), attrs=attrs)


def call_attributes() -> ir.Program:
    attrs = {
        "core_num": ir.FloorDiv(N, number(16), INDEX),
        "limit": number(4),
        "deep": (1, (2.5, "x")),
        "empty": (),
        "nothing": None,
        "kind": ir.scalar_type(FP16),
        "operation": ir.Op("tile.add"),
        "mode": SplitMode.LEFT_RIGHT,
        "reduction": ir.ReduceOp.Max,
        "pipe": ir.PipeType.MTE2,
    }
    kernel = function("kernel", (tensor("x", 16, 16),)).replace(body=ir.ReturnStmt(()))
    caller = function("main", (X, N)).replace(body=ir.EvalStmt(call("kernel", X, **attrs)))
    return program(kernel, caller)


def group_of_kernels() -> ir.Program:
    group = {"func_type": ir.FunctionType.Group, "level": ir.Level.CORE_GROUP, "role": Role.SubWorker}
    kernel = function("kernel", (tensor("x", 16, 16),), func_type=ir.FunctionType.InCore)
    kernel = kernel.replace(body=ir.ReturnStmt(()))
    return program(kernel, function("group", (X,), **group).replace(body=ir.EvalStmt(call("kernel", X))))


def names_that_clash() -> ir.Program:
    names = ("x", "class", "self", "pl", "x_1", "x")
    stmts = [assign(scalar(name), number(value)) for value, name in enumerate(names)]
    return function_of(*stmts)


def two_dimensions_of_one_name() -> ir.Program:
    first, second = (tensor("a", scalar("M")) for _ in "ab")
    return function_of(ir.ReturnStmt(()), params=(first, second))


@pytest.mark.parametrize(
    "example",
    [
        allocation,
        declared_slots,
        window_domain,
        host_body,
        bound_at_run_time,
        external_kernel,
        function_attributes,
        call_attributes,
        group_of_kernels,
        names_that_clash,
        two_dimensions_of_one_name,
    ],
)
def test_an_example_reads_back(example: Callable[[], ir.Program]):
    before = example()
    text = python_print(before)
    after = parse(text)
    assert_structural_equal(before, after)
    assert python_print(after) == text


def test_the_flags_of_a_slot_read_back():
    before = window_domain(load_from_host=True, store_to_host=True)
    assert_structural_equal(before, parse(python_print(before)))


def test_memory_references_read_back_although_comparison_overlooks_them():
    again = parse(python_print(allocation()))
    tiles = [var for var in ir.defined_vars([again]) if isinstance(var.type, ir.TileType)]
    base = next(var for var in ir.defined_vars([again]) if isinstance(var.type, ir.PtrType))
    first = tiles[0].type.memref  # type: ignore[attr-defined]  # a tile type
    assert (first.base, first.size, ir.as_int(first.byte_offset)) == (base, 1024, 0)


def test_concise_text_of_a_kernel_reads_back():
    tile, load = placed(ir.MemRef("m", base=ir.Var("m", ir.PTR_TYPE), byte_offset=number(0), size=1024))
    before = function_of(load, ir.ReturnStmt((X,)), func_type=ir.FunctionType.InCore)
    after = parse(python_print(before, concise=True))
    assert_structural_equal(before, after)
    assert tile.type == ir.defined_vars([after])[1].type


@pytest.mark.parametrize("name", ["manual_dep_edges", "dummy_task"])
def test_what_has_no_text_does_not_read_either(name: str):
    text = python_print(function_of(assign(scalar("n"), made("system.available_cluster_count")))).replace(
        "count()", f'count(attrs={{"{name}": [x]}})'
    )
    with pytest.raises(ParserSyntaxError, match=f"'{name}' is for pl.system.task_dummy"):
        parse(text)
