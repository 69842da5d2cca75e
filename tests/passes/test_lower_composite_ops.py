# SPDX-License-Identifier: Apache-2.0
"""LowerCompositeOps: what is left of sines and cosines, and how exact it is when the functional simulator runs it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pypto_passes.lower_composite_ops import LowerCompositeOps
from pypto_passes.sine_expansion import COSINE, SINE, Of

from pypto_build.ir import Call, Program, collect
from pypto_build.passes import apply_pass
from tests.passes.programs import assert_unchanged, body
from tests.passes.tile_places import after, function_of, kernel
from tests.simulators.running import simulate

PASS = LowerCompositeOps()
PRIMITIVES = {"tile.load", "tile.store", "tile.muls", "tile.adds", "tile.add", "tile.sub", "tile.mul", "tile.cast"}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {"sin": np.sin, "cos": np.cos}


def applied(name: str, size: int = 16) -> Program:
    """A kernel that stores a function of its argument, a square of numbers."""
    tensor, tile = f"pl.Tensor[[{size}, {size}], pl.FP32]", f"pl.Tile[[{size}, {size}], pl.FP32, pl.Mem.Vec]"
    text = f"""
        a: {tile} = pl.tile.load(x, [0, 0], [{size}, {size}])
        b: {tile} = pl.tile.{name}(a)
        r: {tensor} = pl.tile.store(b, [0, 0], out)
        return r
    """
    head = f"@pl.function(type=pl.FunctionType.InCore)\ndef main(self, x: {tensor}, out: pl.Out[{tensor}]) -> {tensor}:"
    return body(head, text)


def operations(program: Program) -> set[str]:
    return {call.op.name for call in collect(function_of(program).body, Call)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_only_additions_multiplications_and_casts_remain(name: str) -> None:
    assert operations(after((PASS,), applied(name))) == PRIMITIVES


def test_results_of_two_expansions_have_different_names() -> None:
    made = after((PASS,), kernel("a: Vec16 = LOAD\nb: Vec16 = pl.tile.sin(a)\nb2: Vec16 = pl.tile.cos(b)\nSTORE(b2)"))
    names = [stmt.var.name_hint for stmt in function_of(made).body.stmts[:-1]]
    assert len(set(names)) == len(names)


def test_an_operation_in_an_operand_is_expanded_in_front_of_the_statement() -> None:
    made = after((PASS,), kernel("a: Vec16 = LOAD\nb: Vec16 = pl.tile.exp(pl.tile.sin(a))\nSTORE(b)"))
    assert operations(made) == PRIMITIVES | {"tile.exp"}


def test_a_kernel_without_composite_operations_stays() -> None:
    assert_unchanged(PASS, applied("exp"))


def test_the_parts_of_pi_add_up_to_pi() -> None:
    parts = [factor for of, factor in SINE.terms if of is Of.HALF_TURNS]
    halves = [factor for of, factor in COSINE.terms if of is Of.ONE]
    assert math.isclose(math.fsum(parts), math.pi, rel_tol=0, abs_tol=2**-51)
    assert math.isclose(math.fsum(halves), math.pi / 2, rel_tol=0, abs_tol=2**-48)


def test_the_numbers_of_the_recipes_are_exact_in_fp32() -> None:
    numbers = [factor for _, factor in (*SINE.terms, *COSINE.terms)]
    assert [float(np.float32(number)) for number in numbers] == numbers


def errors(name: str, x: Any) -> Any:
    """The distance of the expansion, run on every number, from the function."""
    function = apply_pass(PASS, applied(name, x.shape[0]))
    (found,) = simulate(function, {"x": x, "out": np.zeros_like(x)}).outputs.values()
    return np.abs(np.asarray(found).astype(np.float64) - FUNCTIONS[name](x.astype(np.float64)))


def spread(limit: float) -> Any:
    """Random numbers up to a limit, and the neighbours of multiples of a quarter turn, where rounding is hardest."""
    random = np.random.default_rng(0).uniform(-limit, limit, (64, 128))
    quarters = np.round(np.linspace(-limit, limit, 64 * 128).reshape(64, 128) / (math.pi / 2)) * (math.pi / 2)
    near = quarters.astype(np.float32)[:, :-1].reshape(-1)[: 64 * 64]
    beside = np.concatenate([near, np.nextafter(near, np.float32(np.inf))]).reshape(64, 128)
    return np.concatenate([random, beside]).astype(np.float32).reshape(128, 128)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("half_turns", [1, 2**6, 2**12, 2**15])
def test_the_error_is_below_one_step_of_a_quarter(name: str, half_turns: int) -> None:
    assert errors(name, spread(half_turns * math.pi)).max() <= 2**-22


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("half_turns", [2**16, 2**18, 2**20, 2**22])
def test_beyond_the_error_is_that_of_the_argument(name: str, half_turns: int) -> None:
    x = spread(half_turns * math.pi)
    assert (errors(name, x) <= np.maximum(np.abs(x) * 2.0**-24, 2**-22)).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_not_a_number_stays_one(name: str) -> None:
    assert np.isnan(errors(name, np.full((16, 16), np.nan, np.float32))).all()


def test_the_sine_of_zero_is_zero() -> None:
    assert errors("sin", np.zeros((16, 16), np.float32)).max() == 0
