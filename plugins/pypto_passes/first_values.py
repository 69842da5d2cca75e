# SPDX-License-Identifier: Apache-2.0
"""What enters the first iteration of a loop for a variable that only its body assigns and later code reads.

Only a loop that never runs would show it. Source: SSA-46, SSA-47.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from pypto_build.analysis.names import base_name
from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    Function,
    MakeTuple,
    ScalarType,
    Stmt,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
    same_value,
    used_vars,
)
from pypto_build.ops.build import system, tensor_creation
from pypto_build.ops.build.tile import memory


def symbols_of(function: Function) -> frozenset[Var]:
    """The symbols that the shapes of the parameters bind: what is passed says what they are."""
    kinds = (param.type for param in function.params)
    return frozenset(used_vars(*kinds)).difference(function.params)


class FirstValues:
    """Finds such values; what has to be made for them in front of the loop is kept until it is taken.

    symbols are extents that are known everywhere, see `symbols_of`. refuse says whether a variable for which nothing
    can be made is refused; else nothing binds what stands for it, and the verifier of SSA form finds it.
    """

    def __init__(self, name: Callable[[Var], str], *, symbols: frozenset[Var], refuse: bool) -> None:
        self._name = name
        self._symbols = symbols
        self._refuse = refuse
        self._made: list[Stmt] = []

    def of(self, var: Var, kind: Type, *, outputs: Iterable[Var], versions: Collection[Expr]) -> Expr:
        """An output parameter of the same type, else the earliest variable of the same type, else a new value."""
        for version in (*outputs, *versions):
            if isinstance(version, Var) and same_value(version.type, kind):
                return version
        if isinstance(kind, TensorType | TileType) and self._symbols.issuperset(used_vars(kind).keys() - versions):
            return self._created(var, kind)
        return self._zero(kind, var)

    def take(self) -> tuple[Stmt, ...]:
        """What has been made since the last time."""
        made, self._made = tuple(self._made), []
        return made

    def _zero(self, kind: Type, var: Var) -> Expr:
        if isinstance(kind, TupleType):
            return MakeTuple(tuple(self._zero(part, var) for part in kind.types), var.span)
        if not isinstance(kind, ScalarType):
            return self._placeholder(var, kind)
        if kind.dtype is DataType.TASK_ID:
            return system.task_invalid(span=var.span)
        if kind.dtype is DataType.BOOL:
            return ConstBool(False, var.span)
        if kind.dtype.is_float():
            return ConstFloat(0.0, kind.dtype, var.span)
        return ConstInt(0, kind.dtype, var.span)

    def _created(self, var: Var, kind: TensorType | TileType) -> Expr:
        """A tensor or tile that nothing is written into yet."""
        if isinstance(kind, TileType):
            call = memory.create(kind.shape, kind.dtype, kind.memory_space, span=var.span)
        else:
            call = tensor_creation.create(kind.shape, kind.dtype, span=var.span)
        if not same_value(call.type, kind):
            return self._placeholder(var, kind)
        created = Var(self._name(var), call.type, var.span)
        self._made.append(AssignStmt(created, call, var.span))
        return created

    def _placeholder(self, var: Var, kind: Type) -> Expr:
        if self._refuse:
            raise UserError(
                "SSA002",
                f"'{var.name_hint}' is first assigned in a loop and read after it, with no {kind} to start from",
                var.span,
                help="assign it before the loop",
            )
        return Var(base_name(var.name_hint), kind, var.span)
