# SPDX-License-Identifier: Apache-2.0
"""Verifiers of programs for several chips: contexts on the chip, windows on the host."""

import pytest
from pypto_passes.verifiers.comm_domain_scopes_materialized import verify_comm_domains
from pypto_passes.verifiers.dist_tensor_ctx_materialized import verify_contexts

from pypto_build.ir import (
    CommDomainScopeStmt,
    DataType,
    DistributedTensorType,
    EvalStmt,
    FunctionType,
    Level,
    PtrType,
    Role,
    Var,
    WindowBuffer,
    dims,
)
from tests.passes.verifiers.findings import found
from tests.unit.ir.build import assign, function, number, op, program, seq

HOST = {"level": Level.HOST, "role": Role.Orchestrator}
CHIP = {"func_type": FunctionType.Orchestration}


def window(buffer=None):
    return DistributedTensorType(dims((4,)), DataType.FP32, None, None, buffer)


@pytest.mark.parametrize(("where", "count"), [(HOST, 0), (CHIP, 1), ({"func_type": FunctionType.InCore}, 1)])
def test_only_the_host_looks_up_a_context(where, count):
    query = EvalStmt(op("pld.system.get_comm_ctx", Var("x", window())))
    sentence = "pld.system.get_comm_ctx in 'f', which does not run on the host: the context must be a parameter"
    assert found(verify_contexts, program(function("f", (), query, **where))) == [(0, sentence)] * count


BASE = Var("buf", PtrType())
SLOT = WindowBuffer("buf", base=BASE, size=number(16))
ALLOCATION = assign(BASE, op("pld.tensor.alloc_window_buffer", number(16), type=PtrType()))


def host(kind, *slots, **where):
    view = assign(Var("data", kind), op("pld.tensor.window", BASE, type=kind))
    scope = CommDomainScopeStmt(seq(ALLOCATION, view), devices=(0, 1), slots=slots)
    return program(function("main", (), scope, **(where or HOST)))


def test_a_view_that_names_the_slot_of_its_domain_passes():
    assert found(verify_comm_domains, host(window(SLOT), SLOT)) == []


@pytest.mark.parametrize(
    ("of", "problems"),
    [
        (host(window(), SLOT), ["the type of 'data' does not name its window buffer"]),
        (
            host(window(WindowBuffer("buf", base=BASE, size=number(16))), SLOT),
            ["the type of 'data' names another window buffer than its domain's slot"],
        ),
        (
            host(window(SLOT)),
            [
                "'buf' is no slot of a communication domain around it",
                "the type of 'data' names another window buffer than its domain's slot",
            ],
        ),
        (host(window(), **CHIP), []),
    ],
)
def test_windows_outside_their_domain_are_found(of, problems):
    expected = [(0, f"in host orchestration 'main', {problem}") for problem in problems]
    assert found(verify_comm_domains, of) == expected
