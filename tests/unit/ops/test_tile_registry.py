# SPDX-License-Identifier: Apache-2.0
"""What the registry says of tile operations besides their types."""

import pytest

from pypto_build.ir import ArgEffect, AtomicType, MemorySpace, WriteChannel
from pypto_build.ops import INHERIT, CoreAffinity, CrossCoreRole, FromKwarg, builtin_registry
from tests.unit.ops.parts import Acc, Bias, Left, Mat, Right, Vec

REGISTRY = builtin_registry()
TILE_OPS = [REGISTRY.get(name) for name in REGISTRY.names if name.startswith("tile.")]


def test_every_tile_operation_is_there():
    assert len(TILE_OPS) == 138


@pytest.mark.parametrize("definition", TILE_OPS, ids=lambda definition: definition.name)
def test_every_tile_operation_says_where_its_tiles_lie(definition):
    assert (definition.memory is None) == definition.no_memory
    assert definition.description


@pytest.mark.parametrize(
    ("name", "inputs", "output"),
    [
        ("tile.add", [{Vec}, {Vec}], Vec),
        ("tile.adds", [{Vec}], Vec),
        ("tile.matmul", [{Left}, {Right}], Acc),
        ("tile.matmul_bias", [{Left}, {Right}, {Bias}], Acc),
        ("tile.load", [], FromKwarg("target_memory")),
        ("tile.move", [], FromKwarg("target_memory", Vec)),
        ("tile.slice", [], INHERIT),
        ("tile.aic_gather", [], Mat),
    ],
)
def test_operands_lie_where_the_hardware_wants_them(name, inputs, output):
    memory = REGISTRY.get(name).memory
    assert [set(spaces) for spaces in memory.inputs if spaces] == inputs
    assert memory.output == output


@pytest.mark.parametrize(
    ("name", "index", "kwargs", "effect"),
    [
        ("tile.store", 0, {}, ArgEffect.Read),
        ("tile.store", 2, {}, ArgEffect.Write),
        ("tile.store", 2, {"atomic": int(AtomicType.Add)}, ArgEffect.ReadWrite),
        ("tile.mgather", 2, {"coalesce": 1, "target_memory": MemorySpace.Mat}, ArgEffect.Write),
        ("tile.mgather", 2, {"coalesce": 0, "target_memory": MemorySpace.Mat}, ArgEffect.Read),
        ("tile.mgather", 2, {}, ArgEffect.Read),
        ("tile.matmul_acc", 0, {}, ArgEffect.ReadWrite),
        ("tile.assemble", 0, {}, ArgEffect.ReadWrite),
        ("tile.scatter", 0, {}, ArgEffect.ReadWrite),
    ],
)
def test_what_an_operation_does_to_an_operand(name, index, kwargs, effect):
    assert REGISTRY.get(name).effect_on(index, kwargs) is effect


@pytest.mark.parametrize(
    ("name", "place"),
    [("tile.matmul_acc", 0), ("tile.gemv_acc", 0), ("tile.fillpad_inplace", 0), ("tile.gather_row", 0)],
)
def test_an_accumulating_operation_writes_its_operand_in_place(name, place):
    assert REGISTRY.get(name).reuses_input == place


@pytest.mark.parametrize(
    ("name", "places"), [("tile.row_expand_add", (1, 2)), ("tile.sel", (0, 3)), ("tile.col_expand_mul", (1,))]
)
def test_some_results_must_not_lie_on_an_operand(name, places):
    assert REGISTRY.get(name).forbid_output_alias == places


@pytest.mark.parametrize("name", ["tile.recip", "tile.transpose", "tile.row_sum", "tile.concat", "tile.gather"])
def test_some_results_must_not_lie_on_any_operand(name):
    assert REGISTRY.get(name).not_inplace_safe


def test_a_store_goes_through_the_transport_engine():
    assert REGISTRY.get("tile.store").write_channel is WriteChannel.Dma


@pytest.mark.parametrize(
    ("name", "core", "role"),
    [
        ("tile.tpush_to_aiv", CoreAffinity.CUBE, CrossCoreRole.TPUSH),
        ("tile.tpush_to_aic", CoreAffinity.VECTOR, CrossCoreRole.TPUSH),
        ("tile.tpop_from_aic", CoreAffinity.VECTOR, CrossCoreRole.TPOP),
        ("tile.tpop_from_aiv", CoreAffinity.CUBE, CrossCoreRole.TPOP),
    ],
)
def test_a_passed_tile_names_both_ends(name, core, role):
    assert (REGISTRY.get(name).core_affinity, REGISTRY.get(name).cross_core_role) == (core, role)
