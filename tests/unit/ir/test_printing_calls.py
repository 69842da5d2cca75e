# SPDX-License-Identifier: Apache-2.0
"""Calls of operations and functions, task launches, and the values of attributes."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.errors import InternalError
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import (
    FP16,
    FP32,
    INDEX,
    INT32,
    TASK_ID,
    assign,
    call,
    function,
    number,
    op,
    program,
    scalar,
    seq,
    tensor,
    tile,
)

X, T, K, TID = tensor("x", 64), tile("t", 16, 16), scalar("i"), scalar("tid", TASK_ID)
PAIR = ir.MakeTuple((number(0), K))


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (
            op("tile.load", X, PAIR, target_memory=ir.MemorySpace.Vec),
            "pl.tile.load(x, [0, i], target_memory=pl.Mem.Vec)",
        ),
        (op("tile.and", T, T), "pl.tile.and_(t, t)"),
        (op("tensor.not", X), "pl.tensor.not_(x)"),
        (op("my_op", K), "pl.my_op(i)"),
        (op("system.bar_all"), "pl.system.bar_all()"),
        (op("pld.tensor.window", X, PAIR, dtype=FP32), "pld.tensor.window(x, [0, i], dtype=pl.FP32)"),
        (op("tensor.adds", X, ir.ConstFloat(1.0, FP16)), "pl.tensor.adds(x, pl.const(1.0, pl.FP16))"),
    ],
)
def test_an_operation_is_called_by_its_name(node: ir.Call, text: str):
    assert python_print(node) == text


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (op("tile.store", T, atomic=1), "atomic=pl.AtomicType.Add"),
        (op("tensor.assemble", X, atomic=0), "atomic=pl.AtomicType.None_"),
        (op("system.sync_src", set_pipe=1, wait_pipe=4), "set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V"),
        (op("system.sync_set", pipe=2, event_id=3), "pipe=pl.PipeType.MTE3, event_id=3"),
        (op("tile.cast", T, target_type=FP16, mode=2), 'target_type=pl.FP16, mode="round"'),
        (op("tensor.cast", X, target_type=FP16, mode=9), "target_type=pl.FP16, mode=9"),
        (op("pld.system.notify", X, op=1), "op=pld.NotifyOp.Set"),
        (op("pld.system.wait", X, cmp=1), "cmp=pld.WaitCmp.Ge"),
        (op("pld.tensor.allreduce", X, op=3), "op=pld.ReduceOp.Prod"),
        (op("tile.fillpad", T, pad_value=ir.PadValue.min), "pad_value=pl.PadValue.min"),
        (op("tile.tpush_to_aiv", T, split=0), "split=0"),
        (op("tensor.create", X, init_value=0.0, manual_dep=True), "init_value=0.0, manual_dep=True"),
        (op("system.sync_set", core_type='a"b'), 'core_type="a\\"b"'),
    ],
)
def test_a_choice_is_written_by_name(node: ir.Call, text: str):
    assert text in python_print(node)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (op("tile.full", PAIR, ir.ConstFloat(0.0), dtype=FP32), "pl.tile.full([0, i], dtype=pl.FP32, value=0.0)"),
        (op("tile.reinterpret_view", T, PAIR, dtype=FP16), "pl.tile.reinterpret_view(t, dtype=pl.FP16, shape=[0, i])"),
        (op("tile.gather_row", T, X, PAIR, PAIR, PAIR, PAIR, transpose=False), "valid_shape=[0, i], transpose=False)"),
        (op("tile.mgather", X, T, PAIR), "pl.tile.mgather(x, t, valid_shape=[0, i])"),
        (op("tile.mgather", X, T, X, PAIR), "pl.tile.mgather(x, t, scratch=x, valid_shape=[0, i])"),
        (op("tensor.matmul_acc", X, X, X, K, a_trans=True), "pl.tensor.matmul_acc(x, x, x, init_cond=i, a_trans=True)"),
        (op("pld.tile.get", X, K, X, T, PAIR, PAIR, PAIR), "dst_offsets=[0, i], src_offsets=[0, i], shape=[0, i])"),
        (op("pld.tile.get", X, K, X, T, T, PAIR, PAIR, PAIR), "(x, i, x, t, t, [0, i], [0, i], [0, i])"),
        (op("tensor.gather", X, X, dim=-1), "pl.tensor.gather(x, index=x, dim=-1)"),
        (op("system.syncall", core_type="mix", mode="hard"), 'pl.system.syncall(core_type="mix")'),
        (
            op("system.syncall", X, number(4, INT32), core_type="mix", mode="soft"),
            'pl.system.syncall(mode="soft", core_type="mix", gm_workspace=x, used_cores=4)',
        ),
        (
            op("system.syncall", X, core_type="mix", mode="soft"),
            'pl.system.syncall(mode="soft", core_type="mix", gm_workspace=x, used_cores=0)',
        ),
        (op("tile.alloc", number(1), number(64, ir.DataType.INT64)), "pl.tile.alloc(pl.Mem.Vec, 64)"),
        (op("tile.alloc", number(5), number(64), pinned=True), "pl.tile.alloc(pl.Mem.Acc, 64, pinned=True)"),
        (
            op("pld.tile.remote_load", X, K, allow_physical_tail_padding=True),
            "_remote_load_with_physical_tail_padding(x, i)",
        ),
    ],
)
def test_an_operation_with_another_public_form_is_written_in_it(node: ir.Call, text: str):
    assert python_print(node).endswith(text)


def test_a_window_allocation_named_for_its_variable_does_not_repeat_the_name():
    buffer = ir.Var("buf", ir.PTR_TYPE)
    made = op("pld.tensor.alloc_window_buffer", number(64), name="buf")
    assert python_print(assign(buffer, made)) == "buf: pl.Ptr = pld.tensor.alloc_window_buffer(64)"
    assert python_print(made) == 'pld.tensor.alloc_window_buffer(64, name="buf")'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (None, "None"),
        (7, "7"),
        (2.5, "2.5"),
        ("a\nb", '"a\\nb"'),
        (FP16, "pl.FP16"),
        (ir.MemorySpace.Vec, "pl.Mem.Vec"),
        (ir.TensorLayout.ND, "pl.TensorLayout.ND"),
        (ir.ArgDirection.OutputExisting, "pl.adir.output_existing"),
        (ir.SplitMode.UP_DOWN, "pl.SplitMode.UP_DOWN"),
        (ir.ReduceOp.Max, "pld.ReduceOp.Max"),
        (ir.PipeType.V, "pl.PipeType.V"),
        ((1, (2, "x")), '[1, [2, "x"]]'),
        ((), "[]"),
        (K, "i"),
        (number(4), "pl.const(4, pl.INDEX)"),
        (ir.ConstBool(True), "pl.const(True, pl.BOOL)"),
        (ir.FloorDiv(K, number(16), INDEX), "i // 16"),
        (ir.scalar_type(INDEX), "pl.Scalar[pl.INDEX]"),
        (ir.GlobalVar("kernel"), "self.kernel"),
        (ir.Op("tile.add"), 'pl.Op("tile.add")'),
    ],
)
def test_an_attribute_keeps_what_kind_of_value_it_is(value: object, text: str):
    assert python_print(op("tile.neg", T, attrs={"key": value})) == f'pl.tile.neg(t, attrs={{"key": {text}}})'


def test_a_value_without_text_is_a_bug():
    with pytest.raises(InternalError, match="type object has no text"):
        python_print(op("tile.neg", T, attrs={"key": object()}))


def test_a_function_is_called_through_self_inside_a_program():
    kernel = function("kernel", (X,))
    caller = function("main", (X,), ir.EvalStmt(call("kernel", X)))
    assert python_print(program(kernel, caller)).endswith("  self.kernel(x)")
    assert python_print(caller).endswith("  kernel(x)")


def test_a_function_call_states_its_device_and_directions():
    directions = (ir.ArgDirection.Input, ir.ArgDirection.NoDep)
    node = call("kernel", X, K, device=number(0), arg_directions=directions)
    text = 'kernel(x, i, device=0, attrs={"arg_directions": [pl.adir.input, pl.adir.no_dep]})'
    assert python_print(node) == text


def test_a_barrier_of_tasks_lists_what_it_waits_for():
    attrs = {"manual_dep_edges": (TID,), "dummy_task": True, "marker": 7}
    assert python_print(op("system.task_dummy", attrs=attrs)) == 'pl.system.task_dummy(deps=[tid], attrs={"marker": 7})'
    assert python_print(op("system.task_dummy")) == "pl.system.task_dummy(deps=[])"


@pytest.mark.parametrize("name", ["manual_dep_edges", "dummy_task"])
def test_dependencies_on_any_other_operation_are_a_bug(name: str):
    with pytest.raises(InternalError, match=r"system\.task_dummy"):
        python_print(op("tile.neg", T, attrs={name: (TID,)}))


def test_a_launch_lists_its_keywords_in_one_order():
    node = ir.Submit(
        ir.GlobalVar("k"),
        (X,),
        (TID,),
        attrs=ir.frozen_map({"mark": 1, "dump_vars": (X,)}),
        core_num=number(4),
        sync_start=True,
        allow_early_resolve=True,
        predicate=ir.Gt(K, number(0), ir.DataType.BOOL),
    )
    assert python_print(node) == (
        "pl.spmd_submit(k, x, deps=[tid], dumps=[x], core_num=4, sync_start=True, allow_early_resolve=True, "
        'predicate=(i > 0), attrs={"mark": 1})'
    )


def test_a_launch_on_one_core_has_only_what_is_asked_for():
    node = ir.Submit(ir.GlobalVar("k"), (), (TID,))
    caller = function("main", (TID,), ir.EvalStmt(node))
    assert python_print(program(function("k"), caller)).endswith("pl.submit(self.k, deps=[tid])")


@pytest.mark.parametrize("name", ["tile.aiv_shard", "tensor.aic_gather"])
def test_the_mode_of_the_region_is_not_repeated(name: str):
    shard = op(name, T, split=1)
    region = ir.SplitAivScopeStmt(seq(ir.EvalStmt(shard)), ir.SplitMode.UP_DOWN)
    assert python_print(region).endswith(f"pl.{name}(t)")
    assert python_print(shard) == f"pl.{name}(t, split=1)"


def test_another_mode_than_the_regions_is_stated():
    region = ir.SplitAivScopeStmt(ir.EvalStmt(op("tile.aiv_shard", T, split=2)), ir.SplitMode.UP_DOWN)
    assert python_print(region).endswith("pl.tile.aiv_shard(t, split=2)")
