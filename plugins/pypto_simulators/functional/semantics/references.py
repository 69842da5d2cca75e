# SPDX-License-Identifier: Apache-2.0
"""Operations of plugins: computed by the NumPy function that their definition states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import cast

import numpy as np

from pypto_build.ops import OpRegistry
from pypto_simulators.functional.numbers import Array
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.table import semantics_of
from pypto_simulators.functional.values import Value


@cache
def semantics_with(ops: OpRegistry) -> Mapping[str, Semantics]:
    """What each operation of a registry computes, as far as it can be simulated."""
    known = semantics_of()
    added = ((name, ops.get(name).reference) for name in ops.names if name not in known)
    return {**known, **{name: partial(_computed, reference) for name, reference in added if reference is not None}}


def _computed(reference: Callable[..., object], op: Operation) -> Value:
    args = [op.data(index) if op.is_block(index) else arg for index, arg in enumerate(op.args)]
    made = reference(*args, **op.kwargs)
    if isinstance(made, tuple):
        return op.tuple_of(*cast("tuple[Array, ...]", made))
    return op.made(np.asarray(made))
