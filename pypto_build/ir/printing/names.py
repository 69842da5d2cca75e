# SPDX-License-Identifier: Apache-2.0
"""Names in the text: one per Var, unique within a function, the same for the same IR.

A Var gets its name hint; a second Var with that hint gets `_1`, the next `_2`. Python keywords and names that the text
needs itself get a trailing underscore. What a function uses without defining it is marked, because such IR is broken.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping

from pypto_build.ir.expr import Var
from pypto_build.ir.printing.scan import Scan

FREE_MARK = "__FREE_VAR"
_RESERVED = frozenset({"pl", "pld", "self"})
_NO_DIMENSIONS: Mapping[Var, str] = {}


class Names:
    """The names given so far."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = _RESERVED.union(reserved)
        self._names: dict[Var, str] = {}
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}
        self._defined: set[Var] = set()

    def of(self, var: Var) -> str:
        """The name of a Var; one that the scan did not see gets its name here."""
        return self._names.get(var) or self.give(var)

    def is_defined(self, var: Var) -> bool:
        """Whether the printed piece defines the Var."""
        return var in self._defined

    def define(self, var: Var) -> None:
        """Name a Var that the printed piece defines."""
        self._defined.add(var)
        self.give(var)

    def adopt(self, var: Var, name: str) -> None:
        """Take over a name that was given outside."""
        self._names[var] = name
        self._taken.add(name)

    def give(self, var: Var, mark: str = "") -> str:
        """The name of a Var, made if need be."""
        known = self._names.get(var)
        if known is None:
            known = self.fresh(var.name_hint) + mark
            self._names[var] = known
        return known

    def fresh(self, hint: str) -> str:
        """A name close to the hint that nothing has yet."""
        base = identifier(hint, self._reserved)
        name, count = base, self._next.get(base, 1)
        while name in self._taken:
            name = f"{base}_{count}"
            count += 1
        self._next[base] = count
        self._taken.add(name)
        return name


def identifier(hint: str, reserved: Iterable[str] = _RESERVED) -> str:
    """The hint as a Python identifier that is neither a keyword nor reserved."""
    name = re.sub(r"\W", "_", hint) or "_"
    if name[0].isdigit():
        name = f"_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in reserved else name


def function_names(scan: Scan, prefix: str, dimensions: Mapping[Var, str] = _NO_DIMENSIONS) -> Names:
    """The names in one function; `dimensions` are those that the program declares.

    A dimension without a declaration is a name of its own: the text of a lone function declares nothing.
    """
    names = Names((prefix,))
    for var in (*scan.free_dimensions(), *scan.free_uses()):
        if var in dimensions:
            names.adopt(var, dimensions[var])
    for var in scan.free_dimensions():
        names.give(var)
    for var in scan.defined:
        names.define(var)
    for var in scan.free_uses():
        names.give(var, FREE_MARK)
    return names


def fragment_names(scan: Scan, prefix: str) -> Names:
    """The names in a statement, expression or type, whose surroundings define the rest."""
    names = Names((prefix,))
    for var in scan.defined:
        names.define(var)
    for var in (*scan.used, *scan.dimensions):
        names.give(var)
    return names
