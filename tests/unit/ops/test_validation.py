# SPDX-License-Identifier: Apache-2.0
"""The rules that a set of definitions keeps before any call is made."""

import pytest

from pypto_build.ir import ArgEffect, TupleType, WriteChannel, const_index
from pypto_build.ops import ArgDef, MemorySpec, OpDef, Operands, OpRegistry, builtin_registry
from pypto_build.ops.deduce import unknown

ARGS = (ArgDef("src"), ArgDef("tmp"))
READ, WRITE = ArgEffect.Read, ArgEffect.Write


def op(name: str = "my.op", **facts: object) -> OpDef:
    return OpDef(**{"name": name, "category": "MyOp", "deduce": unknown, "args": ARGS, **facts})


def multi(name: str = "my.op", **facts: object) -> OpDef:
    return op(name, **{"output_arity": 2, "effects": {0: READ, 1: WRITE}, "workspace_args": (1,), **facts})


def refused(*definitions: OpDef) -> str:
    with pytest.raises(ValueError, match=":\n") as caught:
        OpRegistry(definitions)
    return str(caught.value)


def test_an_operation_with_several_results_and_a_workspace_is_accepted():
    """MO-1, MO-3."""
    assert OpRegistry([multi()]).has("my.op")


def test_each_result_is_an_element_and_only_inputs_are_arguments():
    """MO-1: two results, and still the two arguments that were registered."""
    call = OpRegistry([multi(deduce=pair)]).create_call("my.op", [const_index(0), const_index(1)])
    assert call.type == TupleType((const_index(0).type, const_index(1).type))
    assert [arg.name for arg in OpRegistry([multi()]).get("my.op").args] == ["src", "tmp"]
    with pytest.raises(ValueError, match="argument"):
        OpRegistry([multi(deduce=pair)]).create_call("my.op", [const_index(0), const_index(1), const_index(2)])


@pytest.mark.parametrize("effect", list(ArgEffect))
def test_the_effect_of_an_argument_is_the_declared_one_and_else_to_read(effect: ArgEffect):
    """MO-4."""
    definition = OpRegistry([op(effects={1: effect})]).get("my.op")
    assert [definition.effect_on(index, {}) for index in (0, 1)] == [READ, effect]
    assert [definition.has_declared_effect(index) for index in (0, 1)] == [False, True]


def test_an_operation_that_writes_no_argument_is_classified_at_once():
    """MO-4."""
    definition = multi(effects={}, no_arg_writes=True, workspace_args=())
    assert OpRegistry([definition]).get("my.op").has_declared_effect(1)


def test_an_operation_that_computes_only_is_unclassified_until_it_is_declared_to_write_nothing():
    """MO-5."""
    assert not op("my.op").has_declared_effects()
    assert op("my.op", no_arg_writes=True).has_declared_effects()


def test_the_effects_of_an_unknown_operation_are_an_error():
    """MO-6."""
    with pytest.raises(ValueError, match=r"Operator 'my\.op' not found in registry"):
        OpRegistry([]).get("my.op")


def test_an_argument_without_an_effect_is_refused_beside_several_results():
    """MO-10."""
    text = refused(multi(effects={1: WRITE}))
    assert "my.op (argument 0): no declared effect" in text


def test_a_written_argument_that_is_no_workspace_is_refused():
    """MO-11: a destination has leaked into the arguments."""
    text = refused(multi(effects={0: WRITE, 1: WRITE}))
    assert "my.op (argument 0): written but not a workspace" in text


def test_a_workspace_that_does_not_exist_is_refused():
    """MO-12."""
    assert "my.op (argument 7): declared a workspace, but there is no such argument" in refused(
        multi(workspace_args=(1, 7))
    )


@pytest.mark.parametrize("facts", [{"effects": {0: READ, 1: READ}}, {"effects": {}, "no_arg_writes": True}])
def test_a_workspace_that_is_never_written_is_refused(facts):
    """MO-13: declared read, or by the verdict about all arguments."""
    assert "my.op (argument 1): declared a workspace, but never written" in refused(multi(**facts))


def test_a_result_that_reuses_an_input_is_refused_beside_others():
    """MO-14."""
    assert "my.op (argument 0): the result is said to reuse it" in refused(multi(reuses_input=0))


def test_all_offenders_are_listed_sorted_in_one_message():
    """MO-10, MO-11."""
    text = refused(multi("z.op", effects={0: READ}), multi("a.op", effects={0: WRITE, 1: WRITE}))
    offenders = [line.split(":")[0].strip() for line in text.splitlines()[1:]]
    assert offenders == ["a.op (argument 0)", "z.op (argument 1)", "z.op (argument 1)"]


def test_a_destination_that_is_declared_read_leaves_no_trace():
    """MO-15: the known hole; a convention closes it, not the registry."""
    hidden = multi(effects={0: READ, 1: READ}, workspace_args=())
    assert OpRegistry([hidden]).has("my.op")


def test_the_rules_for_several_results_do_not_touch_an_operation_with_one():
    assert OpRegistry([op(effects={0: WRITE})]).has("my.op")


def test_an_operation_that_is_added_later_is_held_to_the_same_rules():
    """MO-38."""
    with pytest.raises(ValueError, match=r"plugin\.op \(argument 0\)"):
        builtin_registry().extended([multi("plugin.op", effects={1: WRITE})])


def test_a_tile_operation_must_say_where_its_tiles_live():
    assert "tile.mine" in refused(op("tile.mine"))
    assert OpRegistry([op("tile.mine", memory=MemorySpec())]).has("tile.mine")
    assert OpRegistry([op("tile.mine", no_memory=True)]).has("tile.mine")


def test_an_in_place_operation_must_say_what_it_does_to_the_argument():
    assert "my.op (argument 1)" in refused(op(reuses_input=1, effects={0: READ}))
    assert OpRegistry([op(reuses_input=1, no_arg_writes=True)]).has("my.op")


def test_a_write_channel_needs_a_write():
    assert "my.op" in refused(op(write_channel=WriteChannel.Dma, effects={0: READ}))


def test_effects_and_the_verdict_that_nothing_is_written_contradict_each_other():
    assert "my.op" in refused(op(effects={0: READ}, no_arg_writes=True))


def pair(operands: Operands) -> TupleType:
    return TupleType(tuple(arg.type for arg in operands.args))


@pytest.mark.parametrize(
    ("arity", "deduce", "found"), [(2, unknown, "UnknownType"), (1, pair, "a tuple of 2"), (3, pair, "a tuple of 2")]
)
def test_the_declared_number_of_results_is_the_deduced_one(arity, deduce, found):
    """MO-2, MO-16, MO-17: one result or two instead of more, and several that nobody promised."""
    registry = OpRegistry([multi(deduce=deduce, output_arity=arity)])
    with pytest.raises(ValueError, match=rf"declares {arity} result\(s\), but its type is {found}"):
        registry.create_call("my.op", [const_index(0), const_index(1)])
