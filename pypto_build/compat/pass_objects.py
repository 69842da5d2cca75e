# SPDX-License-Identifier: Apache-2.0
"""`Pass`: one of our passes, or a Python function, as an object that is called on a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from pypto_build.compat.diagnostic_output import emit
from pypto_build.compat.diagnostics import PropertyVerifierRegistry, public
from pypto_build.compat.pass_context import PassContext, own_context
from pypto_build.compat.pass_properties import IRPropertySet, get_default_verify_properties
from pypto_build.compat.providers import pass_class, pass_names
from pypto_build.compat.public_errors import translated
from pypto_build.ir import Function, Program
from pypto_build.passes import Pass as OwnPass
from pypto_build.passes import apply_pass


@dataclass(slots=True)
class PassProperties:
    """What a pass needs, gives and breaks."""

    required: IRPropertySet = field(default_factory=IRPropertySet)
    produced: IRPropertySet = field(default_factory=IRPropertySet)
    invalidated: IRPropertySet = field(default_factory=IRPropertySet)


class Pass:
    """A transformation of programs."""

    def __init__(self, name: str, properties: PassProperties, run: Callable[[Program], Program]) -> None:
        self._name = name
        self._properties = properties
        self._run = run

    def __call__(self, program: Program) -> Program:
        """The program after the pass, with the instruments of the current context around it."""
        current = PassContext.current()
        instruments = current.get_instruments() if current is not None else []
        for instrument in instruments:
            instrument.run_before_pass(self, program)
        with translated():
            result = self._run(program)
        for instrument in instruments:
            instrument.run_after_pass(self, result)
        return result

    def get_name(self) -> str:
        """The name of the pass."""
        return self._name

    def get_required_properties(self) -> IRPropertySet:
        """What must hold before."""
        return self._properties.required

    def get_produced_properties(self) -> IRPropertySet:
        """What holds after."""
        return self._properties.produced

    def get_invalidated_properties(self) -> IRPropertySet:
        """What may not hold any more."""
        return self._properties.invalidated


def wrap(own: OwnPass) -> Pass:
    """One of our passes as a public one."""

    def run(program: Program) -> Program:
        context = own_context()
        result = apply_pass(own, program, context)
        emit((public(one) for one in context.sink.take()), phase=own.name)
        return result

    properties = PassProperties(
        IRPropertySet(own.requires), IRPropertySet(own.produces), IRPropertySet(own.invalidates)
    )
    return Pass(own.name, properties, run)


_PUBLIC_OPTIONS: dict[str, dict[str, Any]] = {"convert_to_ssa": {"refuse_unbound": False}}
"""Where the public pass leaves to a verifier what ours refuses itself."""


def factory(name: str) -> Callable[..., Pass] | None:
    """The factory function of a pass by its snake_case name; None when no plugin provides it."""
    own = pass_class(name)
    if own is None:
        return None

    def make(**options: Any) -> Pass:
        return wrap(own(**{**_PUBLIC_OPTIONS.get(name, {}), **options}))

    make.__name__ = name
    make.__doc__ = own.__doc__
    return make


def create_function_pass(
    function: Callable[[Function], Function], name: str = "", properties: PassProperties | None = None
) -> Pass:
    """A pass that applies a Python function to every function of a program."""

    def run(program: Program) -> Program:
        return program.with_functions(function(one) for one in program.functions.values())

    return Pass(name or "FunctionPass", properties or PassProperties(), run)


def create_program_pass(
    function: Callable[[Program], Program], name: str = "", properties: PassProperties | None = None
) -> Pass:
    """A pass that is a Python function of programs."""
    return Pass(name or "ProgramPass", properties or PassProperties(), function)


def run_verifier(properties: IRPropertySet | None = None) -> Pass:
    """A pass that changes nothing and raises Error when the program contradicts a property."""

    def run(program: Program) -> Program:
        PropertyVerifierRegistry.verify_or_throw(properties or get_default_verify_properties(), program)
        return program

    return Pass("IRVerifier", PassProperties(), run)


class PassPipeline:
    """Passes in order, verified as the level of the current context says."""

    def __init__(self, passes: Iterable[Pass] = ()) -> None:
        self._passes = list(passes)

    def add_pass(self, pass_obj: Pass) -> None:
        """Add one at the end."""
        self._passes.append(pass_obj)

    def get_passes(self) -> list[Pass]:
        """The passes."""
        return list(self._passes)

    def get_pass_names(self) -> list[str]:
        """Their names."""
        return [one.get_name() for one in self._passes]

    def run(self, program: Program) -> Program:
        """The program after all passes."""
        from pypto_build.compat.pipeline_run import run_pipeline  # verification and diagnostics around the passes

        return run_pipeline(self._passes, program)


class _Factories:
    """The factory of every pass that a plugin provides, by snake_case name."""

    def __getitem__(self, name: str) -> Callable[..., Pass]:
        found = None if name.startswith("_") else factory(name)
        if found is None:
            raise KeyError(name)
        return found

    def __dir__(self) -> list[str]:
        return pass_names()


FACTORIES = _Factories()
