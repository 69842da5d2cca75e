# SPDX-License-Identifier: Apache-2.0
"""Builder functions of tensors: how Python values become operands, and which operation and attributes a call holds."""

import inspect
import math
import types
import warnings

import pytest

from pypto_build.errors import Span
from pypto_build.ir import ConstFloat, ConstInt, DataType, MakeTuple, MemorySpace, PadValue, TensorLayout, const_index
from pypto_build.ops.build import tensor as op
from tests.unit.ops.parts import BF16, BOOL, FP16, FP32, INDEX, INT16, INT32, N, scalar, shown, tensor

HERE = Span("kernel.py", 3, 7)
BUILDERS = {name: value for name, value in vars(op).items() if isinstance(value, types.FunctionType)}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS.keys())
def test_every_builder_takes_its_place_by_name(build):
    assert inspect.signature(build).parameters["span"].kind is inspect.Parameter.KEYWORD_ONLY


def test_every_builder_is_exported():
    assert set(BUILDERS) == set(op.__all__)


def test_a_call_has_the_place_that_was_given_and_so_have_its_constants():
    made = op.slice(tensor(64, 32), [16, 32], [0, 0], span=HERE)
    assert made.span == HERE
    assert {element.span for element in made.args[1].elements} == {HERE}


@pytest.mark.parametrize("given", [[4, N], (4, N), MakeTuple((const_index(4), N))])
def test_a_shape_is_a_tuple_of_indices(given):
    shape = op.create(given, FP32).args[0]
    assert [getattr(element, "value", element) for element in shape.elements] == [4, N]
    assert {element.type.dtype for element in shape.elements} == {INDEX}


@pytest.mark.parametrize(
    ("build", "scalar_form"),
    [
        (op.add, "adds"),
        (op.sub, "subs"),
        (op.mul, "muls"),
        (op.div, "divs"),
        (op.fmod, "fmods"),
        (op.maximum, "maximum"),
        (op.minimum, "minimum"),
    ],
)
def test_a_scalar_on_the_right_selects_the_scalar_form(build, scalar_form):
    source = tensor(4, 8)
    assert build(source, 2).op.name == f"tensor.{scalar_form}"
    assert build(source, scalar(FP32)).op.name == f"tensor.{scalar_form}"
    assert build(source, source).op.name == f"tensor.{build.__name__ if build is op.div else scalar_form.rstrip('s')}"


@pytest.mark.parametrize(
    ("build", "scalar_form"), [(op.and_, "ands"), (op.or_, "ors"), (op.xor, "xors"), (op.shl, "shls"), (op.shr, "shrs")]
)
def test_an_integer_on_the_right_selects_the_scalar_form(build, scalar_form):
    source = tensor(4, 8, dtype=INT16)
    assert build(source, 2).op.name == f"tensor.{scalar_form}"
    assert build(source, source).op.name == f"tensor.{scalar_form.removesuffix('s')}"


@pytest.mark.parametrize(
    ("dtype", "given", "kind", "stored"),
    [
        (FP16, 2, ConstFloat, FP16),
        (BF16, 0.5, ConstFloat, FP32),
        (INT16, 2, ConstInt, INT16),
        (INT32, 0.5, ConstFloat, FP32),
        (FP16, const_index(2), ConstFloat, FP16),
    ],
)
def test_an_integer_beside_a_tensor_takes_its_element_type_and_a_float_is_fp32(dtype, given, kind, stored):
    constant = op.add(tensor(4, 8, dtype=dtype), given).args[1]
    assert (type(constant), constant.dtype) == (kind, stored)


def test_an_index_beside_a_tensor_is_refused():
    with pytest.raises(TypeError, match=r"convert with pl\.cast"):
        op.add(tensor(4, 8, dtype=INT32), N)


def test_precision_is_for_two_tensors_only():
    source = tensor(4, 8)
    assert op.div(source, source, True).kwargs == {"high_precision": True}
    assert op.div(source, source).kwargs == {}
    with pytest.raises(TypeError, match="requires a Tensor rhs"):
        op.div(source, 2, True)


@pytest.mark.parametrize(("mode", "number"), [("none", 0), ("round", 2), ("odd", 6), (5, 5)])
def test_a_rounding_mode_is_a_name_or_a_number(mode, number):
    assert op.cast(tensor(4, 8), FP16, mode).kwargs["mode"] == number


@pytest.mark.parametrize("mode", ["up", 7, -1])
def test_another_rounding_mode_is_refused(mode):
    with pytest.raises(ValueError, match="Invalid rounding mode"):
        op.cast(tensor(4, 8), FP16, mode)


@pytest.mark.parametrize(
    ("made", "kwargs"),
    [
        (op.create([4, 8], FP32), {"dtype": FP32, "layout": TensorLayout.ND}),
        (
            op.create([4, 8], FP32, TensorLayout.NZ, True, 0),
            {"dtype": FP32, "layout": TensorLayout.NZ, "manual_dep": True, "init_value": 0.0},
        ),
        (op.create_l1([4, 8], FP16, True), {"dtype": FP16, "transpose": True}),
        (op.full([4, 8], FP32, 0), {"dtype": FP32}),
        (op.ci(0, [1, 8]), {"dtype": INT32, "descending": False}),
        (op.random(0, 1, 2, 3, 4, 5, [4, 8]), {"dtype": DataType.UINT32, "rounds": 10}),
        (op.fillpad(tensor(4, 8), math.inf), {"pad_value": PadValue.max}),
        (op.fillpad(tensor(4, 8)), {"pad_value": PadValue.zero}),
        (op.assemble(tensor(4, 8), tensor(4, 8), [0, 0]), {}),
        (op.assemble(tensor(4, 8), tensor(4, 8), [0, 0], atomic=1), {"atomic": 1}),
    ],
)
def test_attributes_are_those_that_say_something(made, kwargs):
    assert dict(made.kwargs) == kwargs


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (math.nan, ValueError, "init_value must be finite"),
        (2**53 + 1, ValueError, "beyond the exactly-representable integers"),
        (True, TypeError, "init_value must be a number, got bool"),
        (N, TypeError, "init_value must be a number"),
    ],
)
def test_a_tensor_starts_with_a_number_that_a_double_carries(value, error, message):
    with pytest.raises(error, match=message):
        op.create([4, 8], FP32, init_value=value)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: op.ci(0.5, [1, 8]), "requires an integer start"),
        (lambda: op.ci(0, [2, 8]), "leading dimensions must be 1"),
        (lambda: op.ci(0, [1, 1]), "innermost dimension to be longer than 1"),
        (lambda: op.random(0, 1, 2, 3, 4, 5, [4, 8], rounds=8), "requires rounds to be 7 or 10, but got 8"),
        (lambda: op.random(0, 1, 2, 3, 4, 5, [8]), "requires a 2D shape"),
    ],
)
def test_a_tensor_that_cannot_be_made_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_an_extent_is_an_index():
    assert shown(op.dim(tensor(4, N), -1)) == "Scalar[INDEX]"
    with pytest.raises(ValueError, match="out of range"):
        op.dim(tensor(4, N), 2)


def test_elements_are_read_and_written_at_as_many_indices_as_there_are_axes():
    source = tensor(4, 8, dtype=FP16)
    assert shown(op.read(source, [N, 0])) == "Scalar[FP16]"
    assert op.write(source, [N, 0], 1).args[2].dtype is FP16
    with pytest.raises(ValueError, match="requires 2 indices for a tensor of rank 2, got 1"):
        op.read(source, 0)
    with pytest.raises(ValueError, match="requires a value of the tensor's dtype fp16, but got fp32"):
        op.write(source, [0, 0], scalar(FP32))


def test_a_condition_of_an_accumulation_is_an_operand():
    factors = (tensor(16, 64), tensor(16, 32), tensor(32, 64))
    assert op.matmul_acc(*factors, init_cond=scalar(BOOL)).args[3].type.dtype is BOOL
    assert len(op.matmul_acc(*factors).args) == 3


def test_memory_is_allocated_in_a_space():
    assert [arg.value for arg in op.alloc(MemorySpace.Mat, 1024).args] == [MemorySpace.Mat.value, 1024]


def test_a_pad_value_without_anything_to_pad_is_told_at_its_place():
    with pytest.warns(UserWarning, match="pad_value has no effect") as told:
        op.slice(tensor(16, 32), [8, 16], [0, 0], pad_value=0, span=HERE)
    assert (told[0].filename, told[0].lineno) == (HERE.filename, HERE.begin_line)


def test_a_pad_value_with_something_to_pad_is_not_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        op.slice(tensor(16, 32), [8, 16], [12, 0], pad_value=0, clamp=True)
        op.slice(tensor(16, 32), [8, 16], [0, 0], [4, 16], pad_value=0)


def test_a_python_value_is_no_tensor():
    with pytest.raises(TypeError, match="expected an IR value, got int"):
        op.exp(3)


def test_markers_are_the_tensor_itself():
    source = tensor(4, 8)
    assert op.no_dep(source) is op.dump_tag(source) is source
