# SPDX-License-Identifier: Apache-2.0
"""A pass that keeps its contract, and one for each way to break it."""

import itertools
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import UserError
from pypto_build.ir import Add, Expr, Function, Rewriter, as_int, collect, const_index
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext

HEAD = "@pl.function\ndef f(self, n: pl.Scalar[pl.INDEX]):"


@dataclass(frozen=True, slots=True)
class _Simple(FunctionPass):
    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        del callees, context
        return self.change(function)

    def change(self, function: Function) -> Function:
        return function


class _DropAddZero(Rewriter):
    def visit_add(self, add: Add) -> Expr:
        new = self.visit_node(add)
        return new.left if as_int(new.right) == 0 else new


@dataclass(frozen=True, slots=True)
class DropAddZero(_Simple):
    """Replace `x + 0` by `x`."""

    name: ClassVar[str] = "DropAddZero"

    limit: int = 8
    """How many to replace at most."""

    def change(self, function: Function) -> Function:
        return _DropAddZero().visit(function)


@dataclass(frozen=True, slots=True)
class Renews(_Simple):
    """Build every function anew."""

    name: ClassVar[str] = "Renews"

    def change(self, function: Function) -> Function:
        return function.replace()


@dataclass(frozen=True, slots=True)
class Mutates(_Simple):
    """Write into a node."""

    name: ClassVar[str] = "Mutates"

    def change(self, function: Function) -> Function:
        for add in collect(function, Add):
            object.__setattr__(add, "right", const_index(7))
        return function


_calls = itertools.count()


@dataclass(frozen=True, slots=True)
class Accumulates(_Simple):
    """Remember how often it ran."""

    name: ClassVar[str] = "Accumulates"

    def change(self, function: Function) -> Function:
        return function.replace(attrs={"count": next(_calls)})


@dataclass(frozen=True, slots=True)
class ClaimsSSA(_Simple):
    """Claim a form without making it."""

    name: ClassVar[str] = "ClaimsSSA"
    produces: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.SSAForm})


@dataclass(frozen=True, slots=True)
class Refuses(_Simple):
    """Refuse additions."""

    name: ClassVar[str] = "Refuses"

    def change(self, function: Function) -> Function:
        for add in collect(function, Add):
            raise UserError("TEST001", "cannot add", add.span)
        return function


@dataclass(frozen=True, slots=True)
class RefusesAll(_Simple):
    """Refuse every function."""

    name: ClassVar[str] = "RefusesAll"

    def change(self, function: Function) -> Function:
        raise UserError("TEST001", "no function is good enough", function.span)


@dataclass(frozen=True, slots=True)
class HasNoText(_Simple):
    name: ClassVar[str] = "HasNoText"

    limit: int = 8


@dataclass(frozen=True, slots=True)
class Undocumented(_Simple):
    """Have an option without a text."""

    name: ClassVar[str] = "Undocumented"

    limit: int = 8


@dataclass(frozen=True, slots=True)
class Misnamed(_Simple):
    """Be called otherwise."""

    name: ClassVar[str] = "Other"
