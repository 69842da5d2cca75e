# SPDX-License-Identifier: Apache-2.0
"""All semantics by name of the operation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from pypto_simulators.functional.operation import Semantics
from pypto_simulators.functional.semantics import (
    casts,
    creation,
    cross_core,
    elementwise,
    expansion,
    gathering,
    products,
    reductions,
    runtime,
    scattering,
    selection,
    sorting,
    transfer,
    views,
)

_FAMILIES = (
    elementwise,
    casts,
    selection,
    reductions,
    expansion,
    gathering,
    products,
    transfer,
    views,
    creation,
    gathering,
    scattering,
    sorting,
    runtime,
    cross_core,
)


@cache
def semantics_of() -> Mapping[str, Semantics]:
    """What each operation computes; an operation that is not here cannot be simulated."""
    return MappingProxyType({name: f for family in _FAMILIES for name, f in family.TABLE.items()})
