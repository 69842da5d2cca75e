# SPDX-License-Identifier: Apache-2.0
"""Programs of @pl.jit functions, for tests."""

from __future__ import annotations

from pypto_build.dsl.jit import JITFunction
from pypto_build.dsl.jit.arguments import parse_arguments
from pypto_build.dsl.jit.entry import specialized
from pypto_build.ir import Function, Program


def program(entry: JITFunction, *arguments: str) -> Program:
    """The program of an entry for arguments as they are written."""
    return specialized(entry, parse_arguments(arguments))


def function(made: Program, name: str) -> Function:
    """A function that must be there."""
    found = made.get_function(name)
    assert found is not None, f"no function {name} in {[one.name for one in made.functions.values()]}"
    return found


def shapes(made: Function) -> list[str]:
    """The types of the parameters."""
    return [str(param.type) for param in made.params]
