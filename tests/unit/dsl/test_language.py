# SPDX-License-Identifier: Apache-2.0
"""The names of `pl` exist at run time, cost little to import, and refuse to run outside a kernel."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pypto_build.dsl.language as pl
import pypto_build.dsl.language.distributed as pld
from pypto_build.errors import UserError
from pypto_build.ir import Add, DataType, FloorDiv, MemorySpace, TensorType, TileView, Var, dims, scalar_type


def test_importing_the_language_loads_neither_numpy_nor_pydantic_nor_the_registry() -> None:
    code = "import sys, pypto_build.dsl.language; print({'numpy', 'pydantic', 'pypto_build.ops'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.strip() == "set()"


def test_a_loop_called_outside_a_kernel_says_where_it_belongs() -> None:
    with pytest.raises(UserError, match=r"pl.range\(\) can only be used inside a function decorated") as caught:
        pl.range(4)
    assert caught.value.span.filename == __file__


def test_a_name_that_the_language_does_not_have_is_an_attribute_error() -> None:
    assert not hasattr(pl, "incore")
    assert not hasattr(pl.tile, "no_such_operation")


def test_every_name_that_is_announced_once_is_announced_no_second_time() -> None:
    assert len(pl.__all__) == len(set(pl.__all__))


@pytest.mark.parametrize("name", ["MemorySpace", "Mem"])
def test_memory_spaces_go_by_two_names(name: str) -> None:
    assert getattr(pl, name) is MemorySpace


def test_annotations_evaluate_without_judging_what_they_are_given() -> None:
    wrong = pl.Tensor["64x64", pl.FP32, pl.DN]
    assert wrong.shape == "64x64"
    assert wrong.layout is pl.DN


def test_an_annotation_has_no_value_to_unwrap() -> None:
    with pytest.raises(ValueError, match="annotation-only Tensor"):
        pl.Tensor((64, 128), pl.FP16).unwrap()


def test_wrapped_scalars_compute_with_python_operators() -> None:
    n = pl.dynamic("n")
    assert isinstance((n + 1).unwrap(), Add)
    assert isinstance((128 // n).unwrap(), FloorDiv)


def test_a_dynamic_dimension_needs_an_identifier() -> None:
    with pytest.raises(ValueError, match="Python identifier"):
        pl.dynamic("not a name")


def test_a_view_takes_lists_and_numbers() -> None:
    view = pl.TileView(valid_shape=[16, pl.dynamic("n")], fractal=1024)
    assert isinstance(view, pl.TileView)
    assert isinstance(view, TileView)
    assert len(view.valid_shape) == 2


def test_a_memory_reference_needs_a_slot() -> None:
    with pytest.raises(ValueError, match="at least one slot"):
        pl.MemRef(slots=0)


def test_a_typed_constant_has_its_dtype() -> None:
    assert pl.const(3, pl.INT32).type == scalar_type(DataType.INT32)
    assert pl.const(1, pl.FP16).type == scalar_type(DataType.FP16)


def test_a_wrapper_knows_the_type_of_what_it_wraps() -> None:
    tensor = pl.Tensor(expr=Var("x", TensorType(dims([8]), DataType.FP32)))
    assert tensor.dtype is DataType.FP32
    assert pl.Tensor.__name__ == "Tensor"


def test_distributed_names_are_a_module_of_their_own() -> None:
    assert pl.distributed is pld
    assert pld.DistributedTensor[[4], pl.FP32].dtype is DataType.FP32
