# SPDX-License-Identifier: Apache-2.0
"""What the registry says of tensor, array, system, distributed and prefetch operations besides their types."""

import pytest

from pypto_build.ir import ArgEffect, AtomicType, NotifyOp, WriteChannel
from pypto_build.ops import CoreAffinity, CrossCoreRole, builtin_registry


@pytest.mark.parametrize(
    ("prefix", "count"),
    [
        ("tensor.", 105),
        ("system.", 22),
        ("array.", 3),
        ("prefetch.", 4),
        ("pld.system.", 7),
        ("pld.tensor.", 12),
        ("pld.tile.", 4),
        ("dist.", 5),
        ("builtin.tensor.", 8),
    ],
)
def test_every_namespace_is_complete(prefix, count):
    assert sum(name.startswith(prefix) for name in builtin_registry().names) == count


@pytest.mark.parametrize(
    ("name", "index", "kwargs", "effect"),
    [
        ("tensor.assemble", 0, {}, ArgEffect.Write),
        ("tensor.assemble", 0, {"atomic": int(AtomicType.Add)}, ArgEffect.ReadWrite),
        ("tensor.write", 0, {}, ArgEffect.Write),
        ("array.update_element", 0, {}, ArgEffect.ReadWrite),
        ("pld.tensor.allgather", 0, {}, ArgEffect.Read),
        ("pld.tensor.allgather", 1, {}, ArgEffect.Write),
        ("pld.tensor.allgather", 2, {}, ArgEffect.ReadWrite),
        ("pld.tensor.all_to_all_v", 3, {}, ArgEffect.Read),
        ("pld.tensor.all_to_all_v", 4, {}, ArgEffect.Write),
        ("pld.tensor.allreduce", 1, {}, ArgEffect.ReadWrite),
        ("pld.system.notify", 0, {}, ArgEffect.ReadWrite),
        ("pld.system.notify", 0, {"op": int(NotifyOp.Set)}, ArgEffect.Write),
        ("system.syncall", 0, {}, ArgEffect.Read),
        ("system.syncall", 0, {"mode": "soft"}, ArgEffect.ReadWrite),
    ],
)
def test_effects_follow_the_attributes(name, index, kwargs, effect):
    assert builtin_registry().get(name).effect_on(index, kwargs) is effect


@pytest.mark.parametrize(
    "name", ["pld.system.wait", "system.set_ffts", "tensor.set_validshape", "tensor.gather_compare"]
)
def test_an_operation_can_be_classified_as_writing_nothing(name):
    definition = builtin_registry().get(name)
    assert definition.has_declared_effects()
    assert not definition.may_write(0)


def test_a_functional_operation_is_not_classified():
    assert not builtin_registry().get("tensor.add").has_declared_effects()


@pytest.mark.parametrize("name", ["pld.tensor.put", "pld.tensor.get", "pld.tile.put", "pld.tile.get", "prefetch.wait"])
def test_what_goes_through_the_vector_buffer_runs_on_vector_cores(name):
    assert builtin_registry().get(name).core_affinity is CoreAffinity.VECTOR


def test_a_notification_runs_on_one_core_only_and_has_no_write_channel():
    notify = builtin_registry().get("pld.system.notify")
    assert (notify.no_duplicate, notify.core_affinity, notify.write_channel) == (True, None, None)


def test_write_channels_tell_scalar_stores_from_transfers():
    channels = {name: builtin_registry().get(name).write_channel for name in ("tensor.write", "tensor.assemble")}
    assert channels == {"tensor.write": WriteChannel.Scalar, "tensor.assemble": WriteChannel.Dma}


def test_pipe_operations_have_a_side_and_a_role():
    define = builtin_registry().get("system.aic_initialize_pipe")
    assert (define.core_affinity, define.cross_core_role) == (CoreAffinity.CUBE, CrossCoreRole.INITIALIZE_PIPE)


def test_only_collectives_made_by_passes_are_internal():
    registry = builtin_registry()
    internal = {name for name in registry.names if registry.get(name).internal_only}
    assert internal == {name for name in registry.names if name.startswith("builtin.")}


def test_mo_28_the_tensor_comparison_gather_has_two_results_and_no_workspace():
    definition = builtin_registry().get("tensor.gather_compare")
    assert (definition.output_arity, definition.workspace_args, len(definition.args)) == (2, (), 2)
