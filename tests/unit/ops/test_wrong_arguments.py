# SPDX-License-Identifier: Apache-2.0
"""Arguments of the wrong kind: every operation refuses them in its own words, whatever they are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest

from pypto_build.dsl.language.operations import resolve
from pypto_build.errors import UserError
from pypto_build.ir import DataType, ScalarType, TensorType, TileType, Var, dims
from tests.unit.dsl.fuzz.calls import OPERATIONS

TENSOR = Var("x", TensorType(dims([16, 16]), DataType.FP32))
TILE = Var("t", TileType(dims([16, 16]), DataType.FP32))
SCALAR = Var("n", ScalarType(DataType.INDEX))
ODD = (None, [], ["a"], "text", {}, 1.5, True, (), DataType.FP32, ..., b"x", object(), 3j, math.nan, math.inf, [TILE])
PYTHON = re.compile(r"int\(\) argument|object has no|is not iterable|not subscriptable|unsupported operand|nvert float")
BUILT = {name: resolve(tuple(name.split("."))) for name in OPERATIONS}


@pytest.mark.parametrize("good", [TENSOR, TILE, SCALAR], ids=["tensor", "tile", "scalar"])
@pytest.mark.parametrize("name", [name for name, builder in BUILT.items() if builder is not None])
def test_an_argument_of_the_wrong_kind_is_refused_in_words_of_ours(name: str, good: Var) -> None:
    builder, parameters = BUILT[name], [one for one in OPERATIONS[name] if not one.optional]
    assert builder is not None
    for wrong in range(len(parameters)):
        for odd in ODD:
            values = [odd if number == wrong else good for number in range(len(parameters))]
            named = {one.name: value for one, value in zip(parameters, values, strict=True) if one.keyword}
            placed = [value for one, value in zip(parameters, values, strict=True) if not one.keyword]
            assert not PYTHON.search(refusal(builder, placed, named))


def refusal(builder: Callable[..., object], placed: list[object], named: dict[str, object]) -> str:
    """What a builder says about arguments; empty when it takes them."""
    try:
        builder(*placed, **named)
    except (TypeError, ValueError, UserError) as refused:
        return str(refused)
    return ""


def test_an_enumeration_is_not_read_from_a_text() -> None:
    with pytest.raises(TypeError, match=r"Kwarg 'op' for operator 'pld\.tensor\.reduce_scatter'"):
        BUILT["pld.tensor.reduce_scatter"](TENSOR, TENSOR, op="1")


def test_an_atomic_mode_that_is_none_is_refused_not_dropped() -> None:
    with pytest.raises(TypeError, match="incompatible type: expected int, got list"):
        BUILT["pl.tensor.assemble"](TENSOR, TENSOR, [0, 0], atomic=[])


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("pl.create_tile", ([16, 1.5], DataType.FP32), r"requires integers in the list of argument 0, but got 1\.5"),
        ("pl.tile.read", (TILE, [0, TENSOR]), "requires integers in the list of argument 1, but got x"),
        ("pl.tensor.reshape", (TENSOR, [-1, -256]), "requires sizes that are not negative, but makes -1"),
        ("pl.tensor.create", ([-3], DataType.FP32), "requires sizes that are not negative, but makes -3"),
    ],
)
def test_sizes_and_indices_are_integers(name: str, arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BUILT[name](*arguments)


def test_a_scalar_is_cast_to_an_element_type() -> None:
    with pytest.raises(TypeError, match="target_type must be a dtype"):
        BUILT["pl.cast"](SCALAR, [16])
