# SPDX-License-Identifier: Apache-2.0
"""The builders of `pypto.ir.op` know where they were called and take old positional forms."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from pypto_build.compat import install
from pypto_build.errors import Span
from pypto_build.ir import AtomicType
from tests.unit.ops.parts import scalar, tensor, tile, window

HERE = Span("kernel.py", 3, 7)


@pytest.fixture
def ir() -> Iterator[Any]:
    """The public IR, gone again after the test."""
    with install():
        yield importlib.import_module("pypto.ir")


def test_a_call_has_the_place_of_its_caller(ir: Any) -> None:
    assert ir.op.tensor.exp(tensor(4, 8)).span.filename == __file__


def test_a_span_may_be_the_last_argument(ir: Any) -> None:
    assert ir.op.tensor.exp(tensor(4, 8), HERE).span == HERE
    assert ir.op.prefetch.make_context(HERE).span == HERE


def test_an_atomic_may_be_an_argument_by_position(ir: Any) -> None:
    copies, staged = ir.op.distributed.tensor_ops, ir.op.distributed.tile_ops
    ends = (window(16, 64), scalar(), window(16, 64))
    for made in (copies.put(*ends, AtomicType.Add), staged.put(*ends, tile(4, 64), AtomicType.Add)):
        assert made.kwargs["atomic"] == int(AtomicType.Add)


def test_two_names_of_a_builder_are_one_object(ir: Any) -> None:
    assert ir.op.tensor.arange is ir.op.tensor.ci


def test_internal_operations_are_not_for_callers(ir: Any) -> None:
    with pytest.raises(ValueError, match="internal-only"):
        ir.create_op_call("builtin.tensor.barrier", [window(4)], {}, HERE)


def test_surplus_arguments_between_ranks_are_named(ir: Any) -> None:
    with pytest.raises(ValueError, match="takes no positional arguments, but got 1"):
        ir.create_op_call("pld.system.world_size", [scalar()], {}, HERE)
    with pytest.raises(ValueError, match="takes no kwargs, but got foo"):
        ir.create_op_call("pld.system.world_size", [], {"foo": 1}, HERE)
