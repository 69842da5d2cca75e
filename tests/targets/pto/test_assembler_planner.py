# SPDX-License-Identifier: Apache-2.0
"""The memory planner `ptoas`: no addresses, one handle per buffer, and regions of slots."""

from __future__ import annotations

import pytest

from pypto_build.dsl.text import parse_program
from pypto_build.errors import UserError
from pypto_build.ir import Program
from tests.targets.pto.emitting import OUT, X, instructions, lines, program

LOAD = "t = pl.tile.load(x, [0, 0], [16, 16])\n"


def by_assembler(written: Program) -> list[str]:
    return lines(written, planner="ptoas")


def allocations(found: list[str]) -> list[str]:
    return [line.split(" valid_row")[0] for line in found if "alloc_tile" in line]


def test_buffers_have_no_address():
    assert allocations(by_assembler(program(LOAD))) == ["%t = pto.alloc_tile"]


def test_what_changes_a_buffer_in_place_keeps_its_handle():
    found = by_assembler(program(LOAD + "r = pl.tile.fillpad_inplace(t)"))
    assert allocations(found) == ["%t = pto.alloc_tile"]
    assert "pto.tfillpad ins(%t : f32[16,16]) outs(%t : f32[16,16])" in found


def test_another_type_is_a_view_of_the_same_handle():
    found = by_assembler(program(LOAD + "r = pl.tile.reshape(t, [8, 32])\ns = pl.tile.exp(r)"))
    assert "%reshape_buf = pto.treshape %t : f32[16,16] -> f32[8,32:8,32]" in found
    assert "pto.texp ins(%reshape_buf : f32[8,32:8,32]) outs(%s : f32[8,32])" in found


def test_a_loop_carries_a_tile_in_one_handle():
    body = LOAD + (
        "for i, (a,) in pl.range(4, init_values=(t,)):\n"
        "    n = pl.tile.exp(a)\n"
        "    r = pl.yield_(n)\n"
        "done = pl.tile.store(r, [0, 0], out)"
    )
    found = by_assembler(program(body))
    assert allocations(found) == ["%t = pto.alloc_tile"]
    assert "pto.texp ins(%t : f32[16,16]) outs(%t : f32[16,16])" in found


def test_both_branches_write_the_handle_that_stands_before_them():
    body = LOAD + (
        "if c == 0:\n"
        "    r: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.yield_(pl.tile.exp(t))\n"
        "else:\n"
        "    r: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.yield_(pl.tile.neg(t))\n"
        "done = pl.tile.store(r, [0, 0], out)"
    )
    found = by_assembler(flattened(body))
    assert [line.rsplit("outs(", 1)[1] for line in found if line.startswith(("pto.texp", "pto.tneg"))] == [
        "%r : f32[16,16])",
        "%r : f32[16,16])",
    ]
    assert found.index(next(line for line in found if line.startswith("%r = "))) < found.index(
        next(line for line in found if line.startswith("scf.if"))
    )


def flattened(body: str) -> Program:
    """The same with the yielded calls in statements of their own."""
    text = body
    for name in ("exp", "neg"):
        text = text.replace(
            f"    r: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.yield_(pl.tile.{name}(t))",
            f"    {name}ed = pl.tile.{name}(t)\n    r: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.yield_({name}ed)",
        )
    return program(text, params=f"{X}, c: pl.Scalar[pl.INDEX], {OUT}")


SLOTTED = """
ROTATING = pl.MemRef(slots={slots})


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, x: pl.Tensor[[256, 16], pl.FP32], out: pl.Out[pl.Tensor[[256, 16], pl.FP32]]):
{body}
"""
FIRST = "t: pl.Tile[[16, 16], pl.FP32, ROTATING[{slot}], pl.Mem.Vec] = pl.tile.load(x, [{row}, 0], [16, 16])"


def slotted(body: str, slots: int = 2) -> Program:
    inner = "\n".join(f"        {line}" for line in body.splitlines())
    return parse_program(SLOTTED.format(slots=slots, body=inner))


def test_an_allocation_of_slots_is_one_region_from_which_slots_are_taken():
    body = "for i in pl.range(4):\n    " + FIRST.format(slot="i % 2", row="i * 16") + "\n    e = pl.tile.exp(t)"
    found = by_assembler(slotted(body))
    (region,) = (line for line in found if "alloc_multi_tile" in line)
    assert region.endswith("valid_row = %c16_index valid_col = %c16_index : !pto.multi_tile_buf<f32[16,16], count=2>")
    assert "%0 = arith.remsi %i, %c2_index : index" in found
    (taken,) = (line for line in found if "multi_tile_get" in line)
    assert taken.startswith(f"%t = pto.multi_tile_get {region.split(' ')[0]}[%0] : ")


def test_with_our_own_planner_there_are_no_regions():
    body = FIRST.format(slot=0, row=0)
    assert not [line for line in lines(slotted(body)) if "multi" in line]


SECOND = "u: pl.Tile[[{rows}, 16], pl.FP32, ROTATING[1], pl.Mem.Vec] = pl.tile.load(x, [0, 0], [{rows}, 16]{valid})\n"
BOTH = "s = pl.tile.add(t, u)"
REFUSED = [
    (SECOND.format(rows=8, valid=""), 2, "differently shaped tiles"),
    (SECOND.format(rows=16, valid=", valid_shape=[8, 16]"), 2, "different valid shapes"),
    (SECOND.format(rows=16, valid=""), 17, "17 slots"),
]


@pytest.mark.parametrize(("second", "slots", "message"), REFUSED)
def test_what_the_assembler_cannot_describe_is_refused(second: str, slots: int, message: str):
    with pytest.raises(UserError, match=message) as error:
        by_assembler(slotted(FIRST.format(slot=0, row=0) + "\n" + second, slots))
    assert error.value.help == "use the memory planner 'pypto', which places the slots itself"


def test_two_slots_that_are_alive_in_one_iteration_are_refused():
    inner = (FIRST.format(slot=0, row="i * 16"), SECOND.format(rows=16, valid="").strip(), BOTH)
    body = "for i in pl.range(4):\n" + "\n".join(f"    {line}" for line in inner)
    with pytest.raises(UserError, match="two of its slots are live at once inside a loop"):
        instructions(slotted(body), planner="ptoas")
