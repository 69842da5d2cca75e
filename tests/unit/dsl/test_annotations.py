# SPDX-License-Identifier: Apache-2.0
"""Annotations become types, and mistakes in them name the part at fault."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.annotations import AnnotationResolver
from pypto_build.dsl.diagnostics import ParserTypeError
from pypto_build.ir import (
    PTR_TYPE,
    ArrayType,
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    Mul,
    ParamDirection,
    PrefetchAsyncContextType,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    Var,
    dims,
    scalar_type,
)

FP32 = DataType.FP32


def resolver(scope: Callable[[str], Expr | None] = lambda _name: None, **closure: object) -> AnnotationResolver:
    names = {"pl": pl, **closure}

    def evaluate(node: ast.expr) -> object:
        try:
            return eval(ast.unparse(node), names)
        except (NameError, TypeError, AttributeError) as error:
            raise ParserTypeError(str(error)) from error

    return AnnotationResolver(names, evaluate, scope=scope)


def resolve(text: str, **closure: object) -> Type:
    return resolver(**closure).resolve(parsed(text))


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pl.Tensor[[64, 128], pl.FP32]", TensorType(dims([64, 128]), FP32)),
        ("pl.Tensor((64, 128), pl.FP32)", TensorType(dims([64, 128]), FP32)),
        ("'pl.Tensor[[64], pl.FP32]'", TensorType(dims([64]), FP32)),
        ("pl.Tensor[[64], pl.FP32, pl.NZ]", TensorType(dims([64]), FP32, None, TensorView(layout=pl.NZ))),
        ("pl.Tensor[[64], pl.FP32, pl.ND]", TensorType(dims([64]), FP32)),
        ("pl.DistributedTensor[[64], pl.FP32]", DistributedTensorType(dims([64]), FP32)),
        ("pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]", TileType(dims([16, 16]), FP32, None, None, pl.Mem.Vec)),
        ("pl.Scalar[pl.INT32]", scalar_type(DataType.INT32)),
        ("pl.TaskId", scalar_type(DataType.TASK_ID)),
        ("pl.Array[16, pl.INT32]", ArrayType(DataType.INT32, ConstInt(16))),
        ("pl.Tuple[pl.Scalar[pl.INT32]]", TupleType((scalar_type(DataType.INT32),))),
        ("pl.Tuple[()]", TupleType(())),
        ("pl.Ptr", PTR_TYPE),
        ("pl.PrefetchAsyncContext", PrefetchAsyncContextType()),
    ],
)
def test_an_annotation_names_a_type(text: str, expected: Type) -> None:
    assert resolve(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "pl.Tensor[[64, 128], pl.FP32]",
        "pl.Tensor[[64], pl.FP32, pl.TensorView(stride=[2], layout=pl.ND)]",
        "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 8])]",
        "pl.Array[16, pl.INT32]",
        "pl.Tuple[pl.Scalar[pl.INT32], pl.Tensor[[1], pl.FP16]]",
        "pl.Ptr",
    ],
)
def test_an_annotation_object_names_the_same_type_as_its_text(text: str) -> None:
    value = eval(text, {"pl": pl})
    assert resolver().resolve_value(value) == resolve(text) == resolve("ALIAS", ALIAS=value)


def test_shapes_and_dtypes_come_from_the_closure() -> None:
    kind = resolve("pl.Tensor[[ROWS * 2, SHAPE[1]], DTYPE]", ROWS=32, SHAPE=[1, 128], DTYPE=DataType.FP16)
    assert kind == TensorType(dims([64, 128]), DataType.FP16)
    assert resolve("pl.Tensor[SHAPE, pl.FP32]", SHAPE=(2, 3)) == TensorType(dims([2, 3]), FP32)


def test_one_dynamic_dimension_is_one_variable_everywhere() -> None:
    n = pl.dynamic("N")
    first = resolve("pl.Tensor[[N, 4], pl.FP32]", N=n)
    again = resolve("pl.Tensor[[N], pl.FP16]", N=n)
    assert isinstance(first, TensorType)
    assert isinstance(again, TensorType)
    assert first.shape[0] is again.shape[0] is n.unwrap()


def test_arithmetic_on_a_dynamic_dimension_is_kept_as_an_expression() -> None:
    kind = resolve("pl.Tensor[[N * 2], pl.FP32]", N=pl.dynamic("N"))
    assert isinstance(kind, TensorType)
    assert isinstance(kind.shape[0], Mul)


def test_a_kernel_variable_may_be_an_extent() -> None:
    rows = Var("rows", scalar_type(DataType.INDEX))
    kind = resolver(scope={"rows": rows}.get).resolve(parsed("pl.Tile[[rows, 8], pl.FP32]"))
    assert isinstance(kind, TileType)
    assert kind.shape[0] is rows


def test_a_parameter_has_a_direction() -> None:
    kind, direction = resolver().resolve_param(parsed("pl.Out[pl.Tensor[[64], pl.FP32]]"))
    assert kind == TensorType(dims([64]), FP32)
    assert direction is ParamDirection.Out
    assert resolver().resolve_param(parsed("pl.Scalar[pl.FP32]"))[1] is ParamDirection.In


def test_a_python_tuple_returns_several_values_and_a_tuple_of_the_language_one() -> None:
    two = "[pl.Scalar[pl.FP32], pl.Scalar[pl.INT32]]"
    assert len(resolver().resolve_return(parsed("tuple" + two))) == 2
    assert len(resolver().resolve_return(parsed("pl.Tuple" + two))) == 1
    assert resolver().resolve_return(None) == ()


def test_a_view_that_says_what_is_implied_is_not_stored() -> None:
    kind = resolve("pl.Tensor[[64], pl.FP32, pl.TensorView(valid_shape=[64], layout=pl.ND)]")
    assert isinstance(kind, TensorType)
    assert kind.tensor_view is None


def test_a_view_of_a_tile_is_read_field_by_field() -> None:
    kind = resolve("pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 8], pad=pl.PadValue.max)]")
    assert isinstance(kind, TileType)
    assert kind.tile_view == TileView(valid_shape=dims([16, 8]), pad=pl.PadValue.max)


def test_references_by_one_name_share_an_allocation() -> None:
    read = resolver()
    first, second = (read.memrefs.read(parsed(f'pl.MemRef("buffer", {offset}, 256)')) for offset in (0, 256))
    assert first.base is second.base is read.base("buffer")
    assert (first.size, first.is_pinned) == (256, False)


def test_a_declared_allocation_is_named_after_its_variable() -> None:
    memref = resolver(ping=pl.MemRef(slots=2)).memrefs.read(parsed("ping[1]"))
    assert (memref.base.name_hint, memref.is_pinned, memref.slot_count) == ("ping", True, 2)
    assert isinstance(memref.slot_index, ConstInt)
    assert memref.slot_index.value == 1


def test_the_legacy_reference_is_named_after_its_space_and_number() -> None:
    assert resolver().memrefs.read(parsed("pl.MemRef(pl.Mem.Vec, 0, 256, 7)")).base.name_hint == "mem_vec_7"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pl.Tensor[[64]]", r"Tensor requires \[shape, dtype\]"),
        ("pl.Tensor", "Tensor requires arguments"),
        ("pl.Tensor[[64], pl.FP99]", "Unknown dtype: pl.FP99"),
        ("pl.Tensor[[64], TEXT]", "must be a DataType"),
        ("pl.Tensor[[nowhere], pl.FP32]", "Unknown shape variable 'nowhere'"),
        ("pl.Tensor[TEXT, pl.FP32]", "must be a list or tuple"),
        ("pl.Tensor[MIXED, pl.FP32]", "element 1 must be int"),
        ("pl.Tensor[[2.5], pl.FP32]", "must be int or pl.dynamic"),
        ("pl.Tensor[[64], pl.FP32, pl.QQ]", "Unknown layout: pl.QQ"),
        ("pl.Tensor[[64], pl.FP32, pl.DN]", r"pl.Tensor\[..., pl.DN\] is not supported"),
        ("pl.Tensor[[64], pl.FP32, pl.TensorView(foo=1)]", "Unknown TensorView keyword 'foo'"),
        ("pl.Tile[[64], pl.FP32, pl.NZ]", "Tile does not accept layouts like pl.NZ"),
        ("pl.Tile[[64], pl.FP32, pl.MemRef('a')]", "explicit memory space"),
        ("pl.Tile[[64], pl.FP32, pl.MemRef(TEXT), pl.Mem.Vec]", "string literal"),
        ("pl.Tuple[pl.Tuple[pl.Scalar[pl.FP32]]]", "Nested tuple types"),
        ("list[int]", "Unknown type annotation"),
        ("TEXT", "Not a type annotation"),
    ],
)
def test_a_wrong_annotation_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(ParserTypeError, match=message):
        resolve(text, TEXT="text", MIXED=[1, "b"])


def test_an_inout_scalar_is_refused() -> None:
    with pytest.raises(ParserTypeError, match="Scalar parameters cannot be InOut"):
        resolver().resolve_param(parsed("pl.InOut[pl.Scalar[pl.FP32]]"))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["ping", "alias"], "also referenced as 'alias'"),
        (["first", "second"], "both resolve to the name 'shared'"),
        (["pair[2]"], "out of range"),
        (["ping[0]"], "single slot"),
    ],
)
def test_a_declaration_and_its_name_belong_to_each_other(texts: list[str], message: str) -> None:
    ping = pl.MemRef()
    names = {"first": pl.MemRef("shared"), "second": pl.MemRef("shared"), "pair": pl.MemRef(slots=2)}
    read = resolver(ping=ping, alias=ping, **names)
    with pytest.raises(ParserTypeError, match=message):
        [read.memrefs.read(parsed(text)) for text in texts]
