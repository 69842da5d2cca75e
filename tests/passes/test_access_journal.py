# SPDX-License-Identifier: Apache-2.0
"""The journal of accesses: who may have to keep an order with whom, and the way back to an earlier place."""

from __future__ import annotations

from pypto_passes.access_journal import Accesses, Changes
from pypto_passes.storage_regions import WHOLE
from pypto_passes.task_accesses import Access, RuntimeScope

from pypto_build.ir import Call, DataType, GlobalVar, TensorType, Var

TASK, SCOPE = Call(GlobalVar("kernel"), ()), RuntimeScope(analyzed=True)
A, B = (Var(name, TensorType((16,), DataType.FP32)) for name in "ab")


def access(root: Var | None, *, writes: bool) -> Access:
    """Some task reads or writes all of a buffer, or of one that is not known."""
    return Access(TASK, root, WHOLE, writes, (), SCOPE, ())


READ, WRITE, OTHER, UNKNOWN = (
    access(A, writes=False),
    access(A, writes=True),
    access(B, writes=True),
    access(None, writes=True),
)


def test_who_reads_asks_for_those_that_write():
    assert Accesses([READ, WRITE]).near(A, WHOLE, writes=False) == [WRITE]


def test_who_writes_asks_for_all_of_the_buffer_oldest_first():
    assert Accesses([READ, OTHER, WRITE]).near(A, WHOLE, writes=True) == [READ, WRITE]


def test_a_buffer_that_is_not_known_may_be_any():
    assert Accesses([UNKNOWN, WRITE]).near(A, WHOLE, writes=False) == [UNKNOWN, WRITE]
    assert set(Accesses([UNKNOWN, WRITE, OTHER]).near(None, WHOLE, writes=False)) == {UNKNOWN, WRITE, OTHER}


def test_the_way_back_undoes_everything_and_says_what_it_was():
    accesses = Accesses([READ, WRITE])
    place, passing = accesses.place, access(A, writes=True)
    accesses.remove([READ])
    accesses.add([OTHER, passing])
    accesses.remove([passing])
    assert accesses.back_to(place) == Changes((OTHER,), (READ,))
    assert accesses.near(A, WHOLE, writes=True) == [READ, WRITE]
    assert accesses.near(B, WHOLE, writes=True) == []
