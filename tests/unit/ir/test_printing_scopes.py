# SPDX-License-Identifier: Apache-2.0
"""Scopes as text."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir import Level, Role, SplitMode
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import BOOL, TASK_ID, assign, number, op, scalar, seq, tensor

X, K, TID = tensor("x", 8), scalar("i"), scalar("tid", TASK_ID)
BODY = ir.BreakStmt()


def attrs(**values: object) -> object:
    return ir.frozen_map(values)


@pytest.mark.parametrize(
    ("scope", "opened"),
    [
        (ir.InCoreScopeStmt(BODY), "pl.at(level=pl.Level.CORE_GROUP)"),
        (ir.InCoreScopeStmt(BODY, "k"), 'pl.at(level=pl.Level.CORE_GROUP, name_hint="k")'),
        (
            ir.InCoreScopeStmt(BODY, split=SplitMode.UP_DOWN, attrs=attrs(slot_num=8)),
            "pl.at(level=pl.Level.CORE_GROUP, "
            "optimizations=[pl.split(pl.SplitMode.UP_DOWN), pl.cross_core_slot(slot_num=8)])",
        ),
        (
            ir.InCoreScopeStmt(
                BODY, attrs=attrs(manual_dep_edges=(TID,), arg_direction_overrides_vars=(X,), dump_vars=(X,), mark=1)
            ),
            'pl.at(level=pl.Level.CORE_GROUP, deps=[tid], no_dep_args=[x], dumps=[x], attrs={"mark": 1})',
        ),
        (
            ir.InCoreScopeStmt(BODY, attrs=attrs(allow_early_resolve=True, windowize=True)),
            "pl.at(level=pl.Level.CORE_GROUP, allow_early_resolve=True, windowize=True)",
        ),
        (ir.HierarchyScopeStmt(BODY, Level.HOST), "pl.at(level=pl.Level.HOST)"),
        (
            ir.HierarchyScopeStmt(BODY, Level.HOST, Role.SubWorker, "w"),
            'pl.at(level=pl.Level.HOST, role=pl.Role.SubWorker, name_hint="w")',
        ),
        (ir.ClusterScopeStmt(BODY), "pl.cluster()"),
        (ir.ClusterScopeStmt(BODY, "c", attrs(mark=1)), 'pl.cluster(name_hint="c", attrs={"mark": 1})'),
        (ir.RuntimeScopeStmt(BODY), "pl.scope()"),
        (ir.RuntimeScopeStmt(BODY, True), "pl.scope(mode=pl.ScopeMode.MANUAL)"),
        (ir.SpmdScopeStmt(BODY, K), "pl.spmd(i)"),
        (
            ir.SpmdScopeStmt(
                BODY,
                number(4),
                True,
                "s",
                attrs(manual_dep_edges=(TID,), allow_early_resolve=True, predicate=ir.Gt(K, number(0), BOOL)),
            ),
            'pl.spmd(4, sync_start=True, name_hint="s", deps=[tid], allow_early_resolve=True, predicate=(i > 0))',
        ),
        (ir.CommDomainScopeStmt(BODY, (0, 1), ()), "pld.comm_domain(devices=[0, 1], slots=[])"),
    ],
)
def test_a_scope_opens_with_what_it_says(scope: ir.ScopeStmt, opened: str):
    assert python_print(scope) == f"with {opened}:\n    break"


def test_a_scope_binds_its_task_without_the_placeholder():
    placeholder = ir.AssignStmt(TID, op("system.task_invalid"), leading_comments=("first stage",))
    scope = ir.InCoreScopeStmt(BODY, attrs=attrs(task_id_var=TID))
    text = python_print(seq(placeholder, scope))
    assert text == "# first stage\nwith pl.at(level=pl.Level.CORE_GROUP) as tid:\n    break"


def test_a_task_id_that_no_scope_follows_is_an_assignment():
    placeholder = assign(TID, op("system.task_invalid"))
    scope = ir.InCoreScopeStmt(BODY, attrs=attrs(task_id_var=TID))
    text = python_print(seq(placeholder, ir.BreakStmt(), scope), concise=True)
    assert text.startswith("tid = pl.system.task_invalid()\nbreak\nwith ")


def kernel(*stmts: ir.Stmt, name: str = "", **fields: object) -> ir.InCoreScopeStmt:
    index = assign(K, op("tile.get_block_idx", type=K.type))
    return ir.InCoreScopeStmt(seq(index, *stmts), name, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scope", "opened"),
    [
        (ir.SpmdScopeStmt(kernel(BODY), number(4)), "for i in pl.spmd(4):"),
        (ir.SpmdScopeStmt(kernel(BODY, name="q"), number(4), False, "q_spmd"), 'for i in pl.spmd(4, name_hint="q"):'),
        (
            ir.SpmdScopeStmt(kernel(BODY, split=SplitMode.LEFT_RIGHT, attrs=attrs(slot_num=12)), number(4), True),
            "for i in pl.spmd(4, sync_start=True, "
            "optimizations=[pl.split(pl.SplitMode.LEFT_RIGHT), pl.cross_core_slot(slot_num=12)]):",
        ),
    ],
)
def test_a_kernel_over_blocks_is_a_loop_over_them(scope: ir.SpmdScopeStmt, opened: str):
    assert python_print(scope) == f"{opened}\n    break"


@pytest.mark.parametrize(
    "scope",
    [
        ir.SpmdScopeStmt(kernel(BODY, name="q"), number(4), False, "other"),
        ir.SpmdScopeStmt(kernel(BODY), number(4), attrs=attrs(task_id_var=TID)),
        ir.SpmdScopeStmt(kernel(BODY, attrs=attrs(dump_vars=(X,))), number(4)),
        ir.SpmdScopeStmt(ir.InCoreScopeStmt(BODY), number(4)),
        ir.SpmdScopeStmt(seq(kernel(BODY), ir.BreakStmt()), number(4)),
    ],
)
def test_what_the_loop_over_blocks_cannot_say_is_written_as_scopes(scope: ir.SpmdScopeStmt):
    text = python_print(scope)
    assert text.startswith("with pl.spmd(4")
    assert "\n    with pl.at(level=pl.Level.CORE_GROUP" in text


def test_a_split_region_is_a_loop_over_vector_cores():
    index = assign(K, op("tile.get_subblock_idx", type=K.type))
    region = ir.SplitAivScopeStmt(seq(index, BODY), SplitMode.UP_DOWN)
    assert python_print(region) == "for i in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):\n    break"


def test_a_split_region_without_an_index_gets_a_name_for_it():
    region = ir.SplitAivScopeStmt(assign(scalar("aiv_id"), K), SplitMode.NONE, 3, "r")
    text = python_print(region, concise=True)
    assert text == 'for aiv_id_1 in pl.split_aiv(3, mode=pl.SplitMode.NONE, name_hint="r"):\n    aiv_id = i'


def domain(size: ir.Expr, **flags: bool) -> str:
    base, asked = ir.Var("buf", ir.PTR_TYPE), number(64)
    alloc = assign(base, op("pld.tensor.alloc_window_buffer", asked, name="buf"))
    slot = ir.WindowBuffer("buf", base=base, size=size, **flags)
    return python_print(ir.CommDomainScopeStmt(alloc, (), (slot,), "comm_d0")).splitlines()[0]


def test_a_slot_is_named_for_the_allocation_in_the_body():
    assert domain(number(64)) == 'with pld.comm_domain(devices=[], slots=["buf"], name_hint="comm_d0"):'


def test_a_slot_states_what_its_allocation_does_not():
    slot = 'pld.WindowBuffer("buf", 32, load_from_host=True, store_to_host=True)'
    assert f"slots=[{slot}]" in domain(number(32), load_from_host=True, store_to_host=True)
