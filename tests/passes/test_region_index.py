# SPDX-License-Identifier: Apache-2.0
"""The index of accesses by the part of a buffer that they touch: nobody who may overlap is left out."""

from __future__ import annotations

import random

import pytest
from pypto_passes.region_index import RegionIndex
from pypto_passes.storage_regions import UNKNOWN, WHOLE, Extent, Region
from pypto_passes.task_accesses import Access, RuntimeScope

from pypto_build.ir import Call, GlobalVar

TASK, SCOPE = Call(GlobalVar("kernel"), ()), RuntimeScope(analyzed=True)


def access(region: Region) -> Access:
    """Some task writes a part of a buffer."""
    return Access(TASK, None, region, True, (), SCOPE, ())


def box(rng: random.Random, rank: int) -> Region:
    """A box of any size somewhere."""
    begin = tuple(rng.randrange(40) for _ in range(rank))
    return Region(Extent.BOX, begin, tuple(low + rng.choice([0, 1, 3, 16, 40]) for low in begin))


@pytest.mark.parametrize("seed", range(20))
def test_all_that_overlap_are_found(seed: int):
    rng, index = random.Random(seed), RegionIndex()
    accesses = [access(rng.choice([box(rng, 1), box(rng, 2), box(rng, 2), WHOLE, UNKNOWN])) for _ in range(40)]
    for number, one in enumerate(accesses):
        index.put(one, number)
    for one in rng.sample(accesses, 15):
        index.take(one)
        accesses.remove(one)
    for region in [box(rng, 2) for _ in range(20)] + [box(rng, 1), WHOLE, UNKNOWN]:
        assert {one for one in accesses if one.region.may_overlap(region)} <= index.near(region).keys()


def test_windows_side_by_side_are_told_apart():
    index = RegionIndex()
    for place in range(100):
        index.put(access(Region(Extent.BOX, (16 * place, 0), (16 * place + 16, 16))), place)
    assert list(index.near(Region(Extent.BOX, (320, 0), (336, 16))).values()) == [20]


def test_what_was_taken_out_is_not_found():
    index, one = RegionIndex(), access(Region(Extent.BOX, (0, 0), (4, 4)))
    index.put(one, 0)
    index.take(one)
    assert not len(index)
    assert not index.near(WHOLE)
