# SPDX-License-Identifier: Apache-2.0
"""Whatever shares a buffer, every read finds what was written for it: random kernels run by values and by buffers."""

import pytest
from pypto_passes.allocate_memory_addr import AllocateMemoryAddr
from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.materialize_semantic_aliases import MaterializeSemanticAliases

from pypto_build.ir import Program
from pypto_build.passes import Pass
from tests.passes.random_kernels import Machine, random_body
from tests.passes.tile_places import TO_REUSE, after, function_of, kernel

TO_ALIASES = (InitMemRef(), MaterializeSemanticAliases())


def assert_same_stores(before: Program, made: Program, *, by_address: bool = False) -> None:
    """What has no content may differ, everything else must not."""
    for scalar in range(3):
        wanted = Machine(by_buffer=False, scalar=scalar).run(function_of(before))
        found = Machine(by_buffer=True, scalar=scalar, by_address=by_address).run(function_of(made))
        assert len(wanted) == len(found)
        assert [b for a, b in zip(wanted, found, strict=True) if a is not None] == [a for a in wanted if a is not None]


@pytest.mark.parametrize("passes", [TO_ALIASES, TO_REUSE], ids=["aliases", "reuse"])
@pytest.mark.parametrize("seed", range(60))
def test_every_read_finds_what_was_written_for_it(seed: int, passes: tuple[Pass, ...]):
    before = kernel(random_body(seed))
    assert_same_stores(before, after(passes, before))


@pytest.mark.parametrize("planner", ["pypto", "dsa_rp"])
@pytest.mark.parametrize("seed", range(60))
def test_every_read_finds_what_was_written_for_it_at_its_address(seed: int, planner: str):
    before = kernel(random_body(seed))
    made = after((*(TO_REUSE if planner == "pypto" else TO_ALIASES), AllocateMemoryAddr()), before, planner=planner)
    assert_same_stores(before, made, by_address=True)
