# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ARG001  # kernels are read, never run
"""The decorators @pl.jit and its kin: importing a source with them reads no body."""

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.jit import JITFunction
from pypto_build.errors import UserError
from pypto_build.ir import FunctionType, Level, Role


@pl.jit
def entry(a: pl.Tensor, n: pl.INDEX):
    return undefined  # noqa: F821  # the decorator does not look


def test_a_decorated_function_is_kept_unread() -> None:
    assert isinstance(entry, JITFunction)
    assert pl.JITFunction is JITFunction
    assert (entry.name, entry.parameters) == ("entry", ("a", "n"))


@pytest.mark.parametrize(
    ("decorator", "kind"),
    [
        (pl.jit, FunctionType.Orchestration),
        (pl.jit.incore, FunctionType.InCore),
        (pl.jit.inline, FunctionType.Inline),
        (pl.jit.opaque, FunctionType.Opaque),
        (pl.jit.host, FunctionType.Opaque),
    ],
)
def test_a_variant_says_what_the_function_is_with_and_without_parentheses(decorator, kind: FunctionType) -> None:
    def kernel(a: pl.Tensor): ...

    assert decorator(kernel).func_type is decorator()(kernel).func_type is kind


def test_a_host_entry_orchestrates_on_the_host() -> None:
    @pl.jit.host
    def host(a: pl.Tensor): ...

    assert (host.level, host.role, host.is_entry, host.is_host) == (Level.HOST, Role.Orchestrator, True, True)


def test_a_kernel_for_one_kind_of_core_says_so() -> None:
    @pl.jit.incore(level=pl.Level.AIC)
    def cube(a: pl.Tensor): ...

    assert (cube.level, cube.is_entry) == (Level.AIC, False)


def test_scopes_may_be_left_to_the_body() -> None:
    @pl.jit(auto_scope=False)
    def scoped(a: pl.Tensor): ...

    assert not scoped.auto_scope


@pytest.mark.parametrize(
    ("decorator", "option"),
    [(pl.jit.incore, "auto_scope"), (pl.jit.opaque, "auto_scope"), (pl.jit.host, "level"), (pl.jit, "level")],
)
def test_an_option_that_a_variant_does_not_have_is_refused(decorator, option: str) -> None:
    with pytest.raises(TypeError, match=option):
        decorator(**{option: None})


def test_only_functions_are_decorated() -> None:
    with pytest.raises(ParserSyntaxError, match=r"@pl\.jit decorates a function, got <class 'int'>"):
        pl.jit(int)


def test_calling_a_kernel_names_the_command_that_compiles_it() -> None:
    with pytest.raises(UserError, match="'entry' is compiled before it runs, it cannot be called") as caught:
        entry(1, 2)
    assert caught.value.help == ("pypto-build compile test_jit_functions.py --entry entry --arg a=... --arg n=...")


def test_kernels_in_cpp_are_refused() -> None:
    with pytest.raises(UserError, match=r"@pl\.jit\.extern is not supported"):
        pl.jit.extern(core_type="aiv", source="kernel.cpp")
