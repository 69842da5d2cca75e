# SPDX-License-Identifier: Apache-2.0
"""Kernels with their callers for NormalizeReturnOrder, in short: T32, T16 and T8 are tensors of 64 elements."""

from __future__ import annotations

import re
from textwrap import dedent, indent

from pypto_passes.normalize_return_order import NormalizeReturnOrder, verify_return_params_explicit

from pypto_build.ir import Expr, Function, Program, ReturnStmt, collect
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

TYPES = {"T32": "pl.Tensor[[64], pl.FP32]", "T16": "pl.Tensor[[64], pl.FP16]", "T8": "pl.Tensor[[64], pl.INT8]"}
KERNEL = "InCore kernel(x: T32, a: Out[T32], b: Out[T32]) -> T32, T32"
MAIN = "Orchestration main(x: T32, p: Out[T32], q: Out[T32]) -> T32, T32"
_HEAD = re.compile(r"(?P<kind>\w+) (?P<name>\w+)\((?P<params>.*)\)(?: -> (?P<results>.*))?")


def method(head: str, text: str) -> str:
    """One function: `InCore kernel(x: T32, a: Out[T32]) -> F32` and its body."""
    found = _HEAD.fullmatch(head)
    assert found is not None, head
    results = found["results"] or ""
    if ", " in results and not results.startswith("pl.Tuple"):
        results = f"tuple[{results}]"
    params = re.sub(r"\b(Out|InOut)\[", r"pl.\1[", found["params"])
    line = f"def {found['name']}(self, {params}){results and ' -> '}{results}:"
    whole = f"@pl.function(type=pl.FunctionType.{found['kind']})\n{line}\n{indent(dedent(text).strip(), '    ')}\n"
    return re.sub(r"\bT(?:32|16|8)\b", lambda short: TYPES[short[0]], whole)


def program(*parts: tuple[str, str]) -> Program:
    """A program of heads and bodies."""
    return programs.program(*(method(head, text) for head, text in parts))


def pair(kernel: str, main: str) -> Program:
    """A kernel with two outputs and its caller."""
    return program((KERNEL, kernel), (MAIN, main))


def normalized(before: Program) -> Program:
    """The program after the pass."""
    return apply_pass(NormalizeReturnOrder(), before)


def returned(function: Function) -> tuple[Expr, ...]:
    """What a function returns."""
    return list(collect(function, ReturnStmt))[-1].value


def assert_normalized(before: Program, expected: Program) -> None:
    """The expected program comes out, has the property, and stays the same object when the pass runs again."""
    made = programs.assert_becomes(NormalizeReturnOrder(), before, expected)
    assert violations(made) == []
    programs.assert_unchanged(NormalizeReturnOrder(), made)


def assert_unchanged(before: Program) -> None:
    """The pass finds nothing to do."""
    programs.assert_unchanged(NormalizeReturnOrder(), before)


def violations(of: Program) -> list[str]:
    """What the verifier of ReturnParamsExplicit says."""
    return [found.message for found in verify_return_params_explicit(of, PassContext())]
