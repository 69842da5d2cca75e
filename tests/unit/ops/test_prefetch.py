# SPDX-License-Identifier: Apache-2.0
"""Prefetches of global memory: handles and the pieces of memory they take."""

import pytest

from pypto_build.ir import AsyncEventType, AsyncSessionType, PrefetchAsyncContextType
from pypto_build.ops.build import prefetch, tensor
from tests.unit.ops import parts


def test_a_prefetch_is_waited_for_in_a_session():
    context = prefetch.make_context()
    event = prefetch.async_prefetch(parts.tensor(1, 256), context)
    session = prefetch.session(context)
    kinds = [type(call.type) for call in (context, event, session)]
    assert kinds == [PrefetchAsyncContextType, AsyncEventType, AsyncSessionType]
    assert parts.shown(prefetch.wait(event, session)) == "Scalar[BOOL]"


@pytest.mark.parametrize("source", [parts.tensor(2, 256), parts.tensor(parts.N)])
def test_only_a_flat_piece_of_known_size_is_fetched(source):
    with pytest.raises(ValueError, match="expects src to be a flat contiguous logical 1D region of known size"):
        prefetch.async_prefetch(source, prefetch.make_context())


def test_what_is_fetched_has_a_name():
    with pytest.raises(ValueError, match="expects src to be a Var or IterArg, but got Call"):
        prefetch.async_prefetch(tensor.exp(parts.tensor(256)), prefetch.make_context())


def test_handles_are_not_mixed_up():
    with pytest.raises(ValueError, match="expects ctx to be a PrefetchAsyncContext"):
        prefetch.session(parts.N)
    event = prefetch.async_prefetch(parts.tensor(256), prefetch.make_context())
    with pytest.raises(ValueError, match=r"prefetch\.wait expects"):
        prefetch.wait(event, event)
