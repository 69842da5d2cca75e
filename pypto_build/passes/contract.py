# SPDX-License-Identifier: Apache-2.0
"""What a pass is: a frozen dataclass whose fields are its options, with one pure method.

A `FunctionPass` sees one function, and of the functions it calls their signatures and the summary that the same pass
made of them; it runs from callees to callers, and its results are kept function by function. A `ProgramPass` sees
everything. Prefer the first: an edit of one function then re-runs it for that function alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import EMPTY_MAP, Function, FunctionType, GlobalVar, ParamDirection, Program, Type, Var
from pypto_build.passes.context import PassContext
from pypto_build.passes.properties import PropertySet

Summary = object
"""Plain JSON data: None, bool, int, str, or tuples and mappings of these."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a caller may know of a function."""

    name: str
    params: tuple[Var, ...]
    param_directions: tuple[ParamDirection, ...]
    return_types: tuple[Type, ...]
    func_type: FunctionType
    attrs: Mapping[str, object] = EMPTY_MAP

    @staticmethod
    def of(function: Function) -> Signature:
        """The signature of a function."""
        return Signature(
            function.name,
            function.params,
            function.param_directions,
            function.return_types,
            function.func_type,
            function.attrs,
        )


@dataclass(frozen=True, slots=True)
class Callee:
    """A called function: its signature before and after this pass, and this pass's summary of it.

    Within a call cycle the later function of the order is seen before it was visited: after is before, summary None.
    """

    before: Signature
    after: Signature
    summary: Summary = None


class Callees(Mapping[str, Callee]):
    """The functions that a function calls, by name."""

    __slots__ = ("_by_name",)

    def __init__(self, by_name: Mapping[str, Callee] = EMPTY_MAP) -> None:  # type: ignore[assignment]  # empty of anything
        self._by_name = dict(by_name)

    def __getitem__(self, name: str) -> Callee:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def of(self, op: object) -> Callee | None:
        """The callee that an op names, or None when it names an operation or a function outside the program."""
        return self._by_name.get(op.name) if isinstance(op, GlobalVar) else None


NO_CALLEES = Callees()


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """What a FunctionPass made of one function: any number of functions, and what its callers need to know."""

    functions: tuple[Function, ...]
    summary: Summary = None


@dataclass(frozen=True, slots=True)
class PassBase:
    """What both kinds of pass declare.

    requires/produces/invalidates are properties; after/before name passes (class names) that must come earlier or
    later when they are in the same pipeline; reads names the context facts that the pass looks at; version is raised
    when the meaning of a stored result changes without a change of code.
    """

    name: ClassVar[str]
    requires: ClassVar[PropertySet] = frozenset()
    produces: ClassVar[PropertySet] = frozenset()
    invalidates: ClassVar[PropertySet] = frozenset()
    after: ClassVar[tuple[str, ...]] = ()
    before: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class FunctionPass(PassBase):
    """A pass over one function at a time."""

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function | FunctionResult:
        """The function after the pass; the same object when nothing changed."""
        raise NotImplementedError(f"{type(self).__name__}.run")


@dataclass(frozen=True, slots=True)
class ProgramPass(PassBase):
    """A pass over the whole program."""

    def run(self, program: Program, context: PassContext) -> Program:
        """The program after the pass; the same object when nothing changed."""
        raise NotImplementedError(f"{type(self).__name__}.run")


Pass = FunctionPass | ProgramPass
