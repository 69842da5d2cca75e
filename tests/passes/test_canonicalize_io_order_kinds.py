# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeIOOrder: what is a load, a store, a scalar or a computation.

In a body without stages the kinds come one after the other, so the place of a statement says which kind it is.
"""

import pytest
from pypto_passes.canonicalize_io_order import COMPUTE, LOAD, SCALAR, STORE, category

from pypto_build.ir import AssignStmt, GlobalVar, MemorySpace, collect
from tests.passes.carries import orchestration
from tests.passes.pipelines import add, load, ordered, store
from tests.unit.ir.build import assign, op, scalar, tile


def test_the_four_kinds_stand_one_after_the_other():
    """CIO-9, CIO-20, CIO-21."""
    before = (store("s", "y1"), add("c", "x1"), load("l", where="k + 1"), "k = i * 2")
    text = [load("x1"), add("y1", "x1"), *before[:2], before[3], before[2]]
    assert ordered(*text) == "k x1 l y1 c s"


def test_reading_an_element_is_a_load_although_it_is_a_scalar():
    """CIO-9, CIO-10: `v` waits behind the loads that stand before it, and `k` does not."""
    text = (load("a"), load("b"), "v = pl.tile.read(a, [0, 0])", add("c", "a"), "k = i * 2")
    assert ordered(*text) == "k a b v c"


def test_writing_an_element_is_a_store():
    """CIO-9."""
    assert ordered(load("a"), "pl.tile.write(a, [0, 0], 1.0)", add("c", "a")) == "a c eval"


@pytest.mark.parametrize("name", ["s", ""])
def test_a_store_is_a_store_with_and_without_a_name(name: str):
    """CIO-11."""
    assert ordered(load("a"), store(name, "a"), add("c", "a")) == f"a c {name or 'eval'}"


def test_an_element_that_nobody_takes_is_a_computation():
    """CIO-12: it is not lifted to the loads."""
    assert ordered(load("a"), add("c", "a"), "pl.tile.read(a, [0, 0])", load("b")) == "a b c eval"


def test_another_bare_expression_is_a_computation():
    """CIO-12."""
    text = (load("a"), store("s", "a"), "pl.system.bar_v()", add("c", "a"))
    assert ordered(*text) == "a eval c s"


SPACES = [
    (MemorySpace.Mat, MemorySpace.Left, LOAD),
    (MemorySpace.Mat, MemorySpace.Right, LOAD),
    (MemorySpace.Mat, MemorySpace.Vec, COMPUTE),
    (MemorySpace.Vec, MemorySpace.Vec, COMPUTE),
    (MemorySpace.Acc, MemorySpace.Mat, COMPUTE),
    (MemorySpace.Vec, MemorySpace.Left, COMPUTE),
    (MemorySpace.Acc, MemorySpace.Right, COMPUTE),
]


@pytest.mark.parametrize(("source", "target", "kind"), SPACES)
def test_an_extract_is_a_load_from_l1_to_l0_only(source: MemorySpace, target: MemorySpace, kind: int):
    """CIO-13."""
    made = tile("e", 16, 16, space=target)
    extract = op("tile.extract", tile("t", 64, 64, space=source), type=made.type)
    assert category(assign(made, extract)) == kind


def test_an_extract_into_left_joins_the_loads():
    """CIO-13: `e` comes before the computation that it stood behind."""
    text = (
        "m = pl.tile.load(source, [0, 0], [32, 32], target_memory=pl.Mem.Mat)",
        load("a"),
        add("c", "a"),
        "e = pl.tile.extract(m, 0, 0, shape=[16, 16], target_memory=pl.Mem.Left)",
    )
    assert ordered(*text) == "m a e c"


@pytest.mark.parametrize(
    "name", ["tile.move", "tile.tpush_to_aiv", "tile.tpush_to_aic", "tile.tpop_from_aiv", "tile.tpop_from_aic"]
)
def test_transfers_are_computations(name: str):
    """CIO-14."""
    made = tile("t", 16, 16, space=MemorySpace.Vec)
    assert category(assign(made, op(name, tile("a", 16, 16), type=made.type))) == COMPUTE


def test_moves_keep_their_order_among_their_neighbours():
    """CIO-14: only the load goes ahead of them."""
    text = (
        load("a"),
        "m = pl.tile.move(a, target_memory=pl.Mem.Mat)",
        add("c", "a"),
        "k = pl.tile.move(a, target_memory=pl.Mem.Mat)",
        load("b"),
    )
    assert ordered(*text) == "a b m c k"


def test_launching_a_task_is_a_computation():
    """CIO-15."""
    made = orchestration("r, task = pl.submit(self.grow, x, a)")
    kinds = {stmt.var.name_hint: category(stmt) for stmt in collect(made.functions[GlobalVar("main")], AssignStmt)}
    assert kinds == {"_submit_tmp": COMPUTE, "r": COMPUTE, "task": SCALAR}


def test_only_the_result_of_a_scalar_computation_makes_a_scalar():
    """CIO-9, CIO-10."""
    v = scalar("v")
    assert category(assign(v, scalar("w"))) == SCALAR
    assert category(assign(v, op("tile.read", tile("t", 4), type=v.type))) == LOAD
    assert category(assign(v, op("tile.write", tile("t", 4), type=v.type))) == STORE
