# SPDX-License-Identifier: Apache-2.0
"""What a variable is called in the generated C++, and what earlier attempts have learnt about where to declare it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_build.analysis.names import AutoName
from pypto_build.ir import DataType, Expr, ScalarType, Var
from pypto_targets.orchestration.text import Name

_PLAIN_ROLES = ("", "ssa", "idx", "iter")
_VERSIONED_ROLES = ("rv", "phi", "tmp")


@dataclass(frozen=True, slots=True, eq=False)
class Array:
    """An array on the stack; writes happen in place, so every version of it has this name."""

    name: Name
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A tensor that the runtime allocated for a launch, until it has a name."""

    text: str
    outs: Name


@dataclass(frozen=True, slots=True)
class Missing:
    """A result of a launch that is none of the buffers passed to it: a task hands back nothing else."""

    index: int


@dataclass(frozen=True, slots=True)
class Window:
    """Where in which tensor a window lies."""

    source: Value
    offsets: tuple[Expr, ...]


Value = Name | Array | Made | Missing | str | tuple["Value", ...]
"""A declared name, an array, a literal, or the results of a launch."""


def same(left: Value, right: Value) -> bool:
    """Whether two values are one: the same name, the same array, or literals of the same text."""
    if isinstance(left, Array) and isinstance(right, Array):
        return left.name is right.name
    return left is right or (isinstance(left, str) and left == right)


@dataclass(slots=True)
class Plan:
    """What one attempt learns for the next: C++ braces end the life of a name, scopes of the IR do not.

    `hoisted` says in which open block a variable is to be declared so that all its readers see it; `rebinding` names
    carries of while loops that take another value.
    """

    hoisted: dict[Var, int] = field(default_factory=dict[Var, int])
    rebinding: set[Var] = field(default_factory=set[Var])
    task_ids: dict[tuple[Var, Expr | None], Var] = field(default_factory=dict[tuple[Var, "Expr | None"], Var])
    changed: bool = False

    def task_id_of(self, result: Var, task: Expr | None = None) -> Var:
        """The variable of the id of a task that makes or changes a tensor, the same one in every attempt."""
        if (result, task) not in self.task_ids:
            self.task_ids[result, task] = Var(f"{hint(result)}_tid", ScalarType(DataType.TASK_ID), result.span)
        return self.task_ids[result, task]

    def hoist(self, var: Var, depth: int) -> None:
        """Declare a variable further out next time."""
        if depth < self.hoisted.get(var, depth + 1):
            self.hoisted[var] = depth
            self.changed = True

    def rebind(self, var: Var) -> None:
        """Give a carry a variable of its own next time."""
        if var not in self.rebinding:
            self.rebinding.add(var)
            self.changed = True


def hint(var: Var) -> str:
    """A readable name: what a person wrote, and the version only where several values live side by side."""
    parsed = AutoName.parse(var.name_hint)
    if parsed.role in _PLAIN_ROLES:
        return parsed.base
    return var.name_hint if parsed.role in _VERSIONED_ROLES else f"{parsed.base}__{parsed.role}"
