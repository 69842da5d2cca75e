# SPDX-License-Identifier: Apache-2.0
"""Element types: one object each, with a code, a width and names that identify it."""

from __future__ import annotations

import copy
import pickle

import pytest

from pypto_build.ir import DATA_TYPES, DataType, dtype_by_attribute, dtype_by_name

WIDTHS = {
    DataType.BOOL: 1,
    DataType.INT4: 4,
    DataType.FP8E5M2: 8,
    DataType.BF16: 16,
    DataType.FP32: 32,
    DataType.INDEX: 64,
}
KINDS = {
    DataType.BOOL: (False, False, False, False),
    DataType.INT8: (False, True, True, False),
    DataType.INDEX: (False, True, True, False),
    DataType.UINT4: (False, True, False, True),
    DataType.FP16: (True, False, False, False),
    DataType.HF8: (True, False, False, False),
    DataType.TASK_ID: (False, False, False, False),
}


def test_no_two_types_share_a_code_or_a_name():
    for key in (DataType.code, DataType.to_string):
        assert len({key(dtype) for dtype in DATA_TYPES}) == len(DATA_TYPES)
    assert len({dtype.attribute for dtype in DATA_TYPES}) == len(DATA_TYPES)


@pytest.mark.parametrize("dtype", DATA_TYPES, ids=str)
def test_a_type_is_one_object_however_it_is_found(dtype: DataType):
    found = (dtype_by_attribute(dtype.attribute), dtype_by_name(str(dtype)), getattr(DataType, dtype.attribute))
    copies = (copy.deepcopy(dtype), pickle.loads(pickle.dumps(dtype)))
    assert all(one is dtype for one in (*found, *copies))


@pytest.mark.parametrize(("dtype", "bits"), WIDTHS.items(), ids=str)
def test_widths_in_bits_and_bytes(dtype: DataType, bits: int):
    assert (dtype.get_bit(), dtype.get_byte()) == (bits, max(1, bits // 8))


@pytest.mark.parametrize(("dtype", "kinds"), KINDS.items(), ids=str)
def test_what_kind_of_number_it_is(dtype: DataType, kinds: tuple[bool, bool, bool, bool]):
    assert (dtype.is_float(), dtype.is_int(), dtype.is_signed_int(), dtype.is_unsigned_int()) == kinds


def test_an_unknown_name_is_no_type():
    with pytest.raises(KeyError):
        dtype_by_name("fp31")
