# SPDX-License-Identifier: Apache-2.0
"""What a @pl.jit kernel is compiled for, as it is written, and what each wrong form is told."""

import pytest

from pypto_build.dsl.jit.arguments import (
    Argument,
    ConstantArgument,
    ScalarArgument,
    TensorArgument,
    parse_argument,
    parse_arguments,
)
from pypto_build.errors import UserError, UserErrors
from pypto_build.ir import DataType


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("a=f32[64,128]", TensorArgument(DataType.FP32, (64, 128))),
        ("a=bf16[N, 128]", TensorArgument(DataType.BF16, ("N", 128))),
        ("a=int8[4]", TensorArgument(DataType.INT8, (4,))),
        (" a = FP16 [ 2 ] ", TensorArgument(DataType.FP16, (2,))),
        ("a=i32", ScalarArgument(DataType.INT32)),
        ("a=index", ScalarArgument(DataType.INDEX)),
        ("a=u8", ScalarArgument(DataType.UINT8)),
        ("a=7", ConstantArgument(7)),
        ("a=-0x10", ConstantArgument(-16)),
        ("a=1.5e-3", ConstantArgument(0.0015)),
        ("a=True", ConstantArgument(True)),
        ("a=False", ConstantArgument(False)),
    ],
)
def test_an_argument_is_a_tensor_a_constant_or_a_number_that_is_known_later(text: str, argument: Argument) -> None:
    assert parse_argument(text) == ("a", argument)


def test_true_is_not_the_number_one() -> None:
    assert parse_argument("a=True")[1].value is True
    assert type(parse_argument("a=1")[1].value) is int


@pytest.mark.parametrize("name", ["fp32", "f32", "FP32", "Fp32"])
def test_an_element_type_has_its_long_and_its_short_name(name: str) -> None:
    assert parse_argument(f"a={name}")[1] == ScalarArgument(DataType.FP32)


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("a", "an argument is NAME=VALUE, not 'a'", "a tensor is a=f32[64,N]"),
        ("a=", "an argument is NAME=VALUE, not 'a='", "a constant n=7"),
        ("=7", "an argument is NAME=VALUE, not '=7'", "a=f32[64,N]"),
        ("1a=7", "an argument is NAME=VALUE, not '1a=7'", "a=f32[64,N]"),
        ("a=f33[64]", "argument 'a' has the element type 'f33', which there is not", "did you mean `f32`?"),
        ("a=task_id", "argument 'a' has the element type 'task_id', which there is not", ""),
        ("a=f32[]", "argument 'a' has the extent ''", "a positive number, or the name of a dimension"),
        ("a=f32[4,]", "argument 'a' has the extent ''", "a positive number"),
        ("a=f32[0]", "argument 'a' has the extent '0'", "a positive number"),
        ("a=f32[-1]", "argument 'a' has the extent '-1'", "a positive number"),
        ("a=f32[2.5]", "argument 'a' has the extent '2.5'", "a positive number"),
        ("a=f32[64", "the value of argument 'a' cannot be read: f32[64", "a tensor is a=f32[64,N]"),
        ("a='text'", "the value of argument 'a' cannot be read: 'text'", "a tensor is a=f32[64,N]"),
    ],
)
def test_a_wrong_form_is_named_with_a_help_line(text: str, message: str, help: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_argument(text)
    assert (caught.value.code, caught.value.message) == ("JIT001", message)
    assert caught.value.help
    assert help in caught.value.help


def test_all_wrong_arguments_are_said_at_once() -> None:
    with pytest.raises(UserErrors) as caught:
        parse_arguments(["a", "b=f32[4]", "c=f0"])
    assert len(caught.value.errors) == 2


def test_an_argument_is_given_once() -> None:
    with pytest.raises(UserErrors, match="argument 'a' is given twice"):
        parse_arguments(["a=1", "a=2"])
