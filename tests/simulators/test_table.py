# SPDX-License-Identifier: Apache-2.0
"""Which operations have semantics: all that run on one device."""

from __future__ import annotations

import pytest
from pypto_simulators.functional.numbers import NUMPY_TYPES
from pypto_simulators.functional.semantics.table import semantics_of

from pypto_build.ir import DataType
from tests.simulators.running import OPS

ELSEWHERE = ("pld.", "builtin.", "dist.", "prefetch.", "test.")  # other devices, caches, nothing at all


def test_every_operation_of_one_device_has_semantics() -> None:
    wanted = {name for name in OPS.names if not name.startswith(ELSEWHERE)}
    assert wanted - semantics_of().keys() == set()


def test_nothing_has_semantics_that_is_no_operation() -> None:
    assert semantics_of().keys() - set(OPS.names) == set()


@pytest.mark.parametrize("dtype", [d for d in NUMPY_TYPES if d.get_bit() >= 8 and d is not DataType.TASK_ID])
def test_an_element_takes_as_many_bytes_as_in_memory(dtype: DataType) -> None:
    assert NUMPY_TYPES[dtype].itemsize == dtype.get_byte()
