# SPDX-License-Identifier: Apache-2.0
"""Making calls through the registry: what is looked up, checked, typed and placed."""

import pytest

from pypto_build.errors import InternalError, Span
from pypto_build.ir import AtomicType, DataType, MemorySpace, Op, TileType, TupleType, Var, const_index, dims
from pypto_build.ops import INHERIT, ArgDef, FromKwarg, KwargDef, MemorySpec, OpDef, OpRegistry, builtin_registry
from pypto_build.ops.deduce import unknown

HERE = Span("kernel.py", 12, 15)


def tile(*shape: int, dtype: DataType = DataType.FP32, space: MemorySpace | None = None) -> Var:
    return Var("t", TileType(dims(shape), dtype, None, None, space))


def op(name: str = "my.op", **facts: object) -> OpDef:
    return OpDef(**{"name": name, "category": "MyOp", "deduce": unknown, **facts})


def test_a_call_holds_what_it_was_made_of():
    a, b = tile(4, 8), tile(4, 8)
    made = builtin_registry().create_call("tile.add", [a, b], None, HERE, {"note": 1})
    assert made.op == Op("tile.add")
    assert made.args == (a, b)
    assert (made.kwargs, made.attrs, made.span) == ({}, {"note": 1}, HERE)


def test_an_unknown_operation_is_refused():
    with pytest.raises(ValueError, match=r"^Operator 'tile\.nope' not found in registry$"):
        builtin_registry().create_call("tile.nope", [])


def test_an_unknown_attribute_is_refused():
    with pytest.raises(ValueError, match=r"^Unknown kwarg 'b' for operator 'my\.op'$"):
        OpRegistry([op(kwargs=(KwargDef("a", int),))]).create_call("my.op", [], {"b": 1})


@pytest.mark.parametrize("value", ["1", 1.5, True, None, DataType.FP32])
def test_an_attribute_of_the_wrong_type_is_a_type_error(value):
    registry = OpRegistry([op(kwargs=(KwargDef("a", int),))])
    with pytest.raises(TypeError, match=r"Kwarg 'a' for operator 'my\.op' has incompatible type: expected int"):
        registry.create_call("my.op", [], {"a": value})


def test_a_number_of_an_enumeration_is_stored_as_a_plain_number():
    registry = OpRegistry([op(kwargs=(KwargDef("atomic", int),))])
    stored = registry.create_call("my.op", [], {"atomic": AtomicType.Add}).kwargs["atomic"]
    assert type(stored) is int


def test_an_integer_is_fine_where_a_float_is_wanted():
    registry = OpRegistry([op(kwargs=(KwargDef("scale", float),))])
    assert type(registry.create_call("my.op", [], {"scale": 2}).kwargs["scale"]) is float


@pytest.mark.parametrize(
    ("args", "count", "message"),
    [
        ((ArgDef("a"),), 2, "requires exactly 1 argument, but got 2"),
        ((ArgDef("a"), ArgDef("b")), 1, "requires exactly 2 arguments, but got 1"),
        ((ArgDef("a"), ArgDef("b", optional=True)), 3, "requires 1 to 2 arguments, but got 3"),
        ((ArgDef("a"), ArgDef("b", variadic=True)), 0, "requires at least 1 arguments, but got 0"),
    ],
)
def test_the_number_of_arguments_is_checked(args, count, message):
    with pytest.raises(ValueError, match=message):
        OpRegistry([op(args=args)]).create_call("my.op", [const_index(0)] * count)


def test_a_required_attribute_must_be_given():
    with pytest.raises(ValueError, match=r"The operator my\.op requires a 'mode' kwarg"):
        OpRegistry([op(kwargs=(KwargDef("mode", int, required=True),))]).create_call("my.op", [])


def test_the_place_is_put_behind_a_deduction_error():
    with pytest.raises(ValueError, match=r"but got ScalarType at kernel\.py:12:15$"):
        builtin_registry().create_call("tile.add", [tile(4, 8), const_index(1)], None, HERE)


def test_no_place_is_put_behind_an_error_when_there_is_none():
    with pytest.raises(TypeError, match=r"^test\.deduce_raises_type always fails$"):
        builtin_registry().create_call("test.deduce_raises_type", [const_index(1)])


@pytest.mark.parametrize(
    ("name", "kind"), [("test.deduce_raises_type", TypeError), ("test.deduce_raises_internal", InternalError)]
)
def test_the_kind_of_a_deduction_error_stays(name, kind):
    with pytest.raises(kind, match=r"always fails at kernel\.py:12:15") as caught:
        builtin_registry().create_call(name, [const_index(1)], None, HERE)
    assert caught.traceback[-1].path.name == "testing.py"


@pytest.mark.parametrize(
    ("output", "kwargs", "space"),
    [
        (MemorySpace.Vec, {}, MemorySpace.Vec),
        (FromKwarg("space", MemorySpace.Mat), {}, MemorySpace.Mat),
        (FromKwarg("space", MemorySpace.Mat), {"space": MemorySpace.Left}, MemorySpace.Left),
        (FromKwarg("space"), {}, None),
        (INHERIT, {}, MemorySpace.Acc),
        (None, {}, MemorySpace.Acc),
    ],
)
def test_a_tile_without_a_space_gets_the_one_of_the_memory_spec(output, kwargs, space):
    facts = {"kwargs": (KwargDef("space", MemorySpace),), "args": (ArgDef("a"),), "memory": MemorySpec((), output)}
    registry = OpRegistry([op(deduce=lambda _: TileType(dims([8]), DataType.FP16), **facts)])
    made = registry.create_call("my.op", [tile(8, space=MemorySpace.Acc)], kwargs)
    assert made.type.memory_space is space


def test_every_tile_of_a_tuple_gets_the_space_of_the_memory_spec():
    """MO-7, and MO-8 for the element that has one."""
    plain, placed = TileType(dims([8]), DataType.FP16), TileType(dims([8]), DataType.FP16, None, None, MemorySpace.Mat)
    memory = MemorySpec((), MemorySpace.Vec)
    registry = OpRegistry([op(deduce=lambda _: TupleType((plain, placed)), output_arity=2, memory=memory)])
    spaces = [element.memory_space for element in registry.create_call("my.op", []).type.types]
    assert spaces == [MemorySpace.Vec, MemorySpace.Mat]


def test_operations_can_be_added_without_touching_the_registry():
    base = OpRegistry([op("a.op")])
    more = base.extended([op("b.op")])
    assert (base.names, more.names) == (("a.op",), ("a.op", "b.op"))


def test_two_operations_of_one_name_are_refused():
    with pytest.raises(ValueError, match=r"operators defined twice: a\.op"):
        OpRegistry([op("a.op")]).extended([op("a.op")])


def test_the_built_in_registry_is_made_once():
    assert builtin_registry() is builtin_registry()
