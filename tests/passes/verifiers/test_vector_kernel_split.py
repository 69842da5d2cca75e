# SPDX-License-Identifier: Apache-2.0
"""VectorKernelSplit: both vector cores run what is divided between them."""

import pytest
from pypto_passes.verifiers.vector_kernel_split import verify_vector_kernel_split

from pypto_build.ir import FunctionType, SplitAivScopeStmt, SplitMode, frozen_map
from tests.passes.verifiers.findings import found
from tests.unit.ir.build import function, program, seq

ALONE = [(0, "vector kernel 'k' is divided between two cores, but not dispatched to both")]


def kernel(kind, *stmts, **attrs):
    return program(function("k", (), *stmts, func_type=kind, attrs=frozen_map(attrs)))


@pytest.mark.parametrize(
    ("kind", "attrs", "expected"),
    [
        (FunctionType.AIV, {}, []),
        (FunctionType.AIV, {"split": SplitMode.NONE.value}, []),
        (FunctionType.AIV, {"split": SplitMode.UP_DOWN.value}, ALONE),
        (FunctionType.AIV, {"split_aiv": True, "dual_aiv_dispatch": False}, ALONE),
        (FunctionType.AIV, {"split": SplitMode.UP_DOWN, "split_aiv": True, "dual_aiv_dispatch": True}, []),
        (FunctionType.AIC, {"split": SplitMode.UP_DOWN}, []),
        (FunctionType.InCore, {"split": SplitMode.UP_DOWN}, []),
    ],
)
def test_a_divided_vector_kernel_is_dispatched_to_both_cores(kind, attrs, expected):
    assert found(verify_vector_kernel_split, kernel(kind, **attrs)) == expected


@pytest.mark.parametrize(("kind", "count"), [(FunctionType.AIC, 1), (FunctionType.AIV, 1), (FunctionType.InCore, 0)])
def test_no_region_is_left_to_be_divided(kind, count):
    region = SplitAivScopeStmt(seq(), SplitMode.NONE)
    expected = [(0, "kernel 'k' still has a pl.split_aiv region")] * count
    assert found(verify_vector_kernel_split, kernel(kind, region)) == expected
