# SPDX-License-Identifier: Apache-2.0
"""AllocateMemoryAddr with the planner dsa_rp: who shares bytes, who had better not, and what is said about it."""

from __future__ import annotations

import pytest
from pypto_passes.allocate_memory_addr import AllocateMemoryAddr
from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.materialize_semantic_aliases import MaterializeSemanticAliases

from pypto_build.errors import UserError
from pypto_build.ir import Program, as_int
from pypto_build.passes import PassContext, apply_pass
from tests.passes.test_memory_reuse_pipelines import LARGE, stage
from tests.passes.tile_places import PARAMETERS, after, function_of, kernel, references

PLACED = (InitMemRef(), MaterializeSemanticAliases(), AllocateMemoryAddr())
FULL = "pl.tile.full([16, 16], dtype=pl.FP32, value=0.0)"


def placed(body: str, params: str = PARAMETERS) -> dict[str, int | None]:
    """The address of every tile of a kernel."""
    made = after(PLACED, kernel(body, params=params), planner="dsa_rp")
    return {name: as_int(ref.byte_offset) for name, ref in references(made).items() if ref is not None}


def pairs(body: str) -> list[tuple[str, str]]:
    """The tiles that had better not share bytes."""
    made = after((InitMemRef(),), kernel(body))
    return AllocateMemoryAddr.reuse_penalties(function_of(made), PassContext())


def test_tiles_that_one_pipe_writes_share():
    assert placed(f"a: Vec16 = {FULL}\nb: Vec16 = {FULL}\nSTORE(b)") == {"a": 0, "b": 0}


def test_a_load_does_not_wait_for_the_vector_pipe_while_there_is_room():
    body = f"a: Vec16 = {FULL}\nb: Vec16 = LOAD\nSTORE(b)"
    assert (pairs(body), placed(body)) == ([("a", "b")], {"a": 0, "b": 1024})


def test_without_room_it_waits():
    wide = "pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec]"
    full = "pl.tile.full([256, 128], dtype=pl.FP32, value=0.0)"
    load = "pl.tile.load(x, [0, 0], [256, 128])"
    assert placed(f"a: {wide} = {full}\nb: {wide} = {load}\nreturn out", LARGE) == {"a": 0, "b": 0}


def test_a_result_that_must_not_lie_on_its_operand_does_not():
    found = placed("a: Vec16 = LOAD\nb: Vec16 = pl.tile.recip(a)\nSTORE(b)")
    assert abs(found["a"] - found["b"]) >= 1024


def test_what_happens_in_two_branches_waits_for_nothing():
    body = """
        if c < 1:
            a: Vec16 = LOAD
            a2: Vec16 = pl.tile.exp(a)
            s1 = pl.tile.store(a2, [0, 0], out)
        else:
            b: Vec16 = LOAD
            s2 = pl.tile.store(b, [0, 0], out)
        return out
    """
    assert ("a2", "b") not in pairs(body)


def test_the_next_iteration_waits_for_this_one():
    body = f"""
        for i in pl.range(4):
            a: Vec16 = {FULL}
            b: Vec16 = {FULL}
            s = pl.tile.store(b, [0, 0], out)
        return out
    """
    assert pairs(body) == [("a", "b")]


@pytest.mark.parametrize(
    "middle",
    ["s = pl.tile.read(a, [0, 0])", "a2: Vec16 = pl.tile.write(a, [0, 0], 1.0)"],
    ids=["one element is read", "one element is written"],
)
def test_what_is_not_known_to_touch_the_whole_buffer_costs_nothing(middle: str):
    body = f"a: Vec16 = LOAD\n{middle}\nb: Vec16 = LOAD\nSTORE(b)"
    assert pairs(body) == []


def test_a_view_touches_nothing():
    view = "v: pl.Tile[[16, 16], pl.INT32, pl.Mem.Vec] = pl.tile.reinterpret_view(a, dtype=pl.INT32)"
    assert pairs(f"a: Vec16 = LOAD\n{view}\nb: Vec16 = LOAD\nSTORE(b)") == []


def test_stages_are_kept_apart_while_they_fit():
    text = stage(0, "0:0") + stage(1, "0:1") + "return out"
    made = apply_pass(InitMemRef(), kernel(text, params=LARGE))
    made = apply_pass(AllocateMemoryAddr(), made, PassContext(planner="dsa_rp"))
    assert [as_int(ref.byte_offset) for ref in references(made).values()] == [0, 8192]
    assert "pipeline_membership" not in str(made)


def test_stages_that_do_not_fit_share_and_a_hint_says_so():
    text = stage(0, "0:0", 256) + stage(1, "0:1", 256) + "return out"
    context = PassContext(planner="dsa_rp")
    made = apply_pass(AllocateMemoryAddr(), apply_pass(InitMemRef(), kernel(text, params=LARGE)), context)
    assert [as_int(ref.byte_offset) for ref in references(made).values()] == [0, 0]
    (hint,) = context.sink.take()
    assert (hint.severity, hint.code, hint.span.begin_line) == ("perf_hint", "PH-DSA-001", 5)
    assert "1 of 1 relaxed pair(s) reuse physical storage" in hint.message


def test_a_declared_allocation_shares_with_nobody():
    body = f'a: pl.Tile[[16, 16], pl.FP32, pl.MemRef("own"), pl.Mem.Vec] = {FULL}\nb: Vec16 = {FULL}\nSTORE(b)'
    assert sorted(placed(body).values()) == [0, 1024]


def test_reserved_buffers_come_first():
    assert placed("pl.system.reserve_buffer(name='ring', size=100)\na: Vec16 = LOAD\nSTORE(a)") == {"a": 128}


def wide(names: str) -> Program:
    tile = "pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec]"
    loads = "".join(f"{name}: {tile} = pl.tile.load(x, [0, 0], [256, 128])\n" for name in names)
    both = f"s: {tile} = pl.tile.add({names[0]}, {names[1]})\nreturn out"
    return apply_pass(InitMemRef(), kernel(loads + both, params=LARGE))


def test_tiles_that_live_together_and_do_not_fit_are_named_with_their_lines():
    with pytest.raises(UserError, match=r"Vec buffer usage \(262144 bytes\)") as caught:
        apply_pass(AllocateMemoryAddr(), wide("ab"), PassContext(planner="dsa_rp"))
    assert [(text, span.begin_line) for text, span in caught.value.notes[:2]] == [
        ("'a' takes 131072 bytes", 5),
        ("'b' takes 131072 bytes", 6),
    ]
