# SPDX-License-Identifier: Apache-2.0
"""The type of an annotated variable: what the annotation says, completed by what the value is, checked against it."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.ir import (
    DataType,
    DistributedTensorType,
    ScalarType,
    ShapedType,
    TensorType,
    TileType,
    TupleType,
    Type,
    UnknownType,
    as_int,
    rebuilt,
)

Refuse = Callable[[str], None]


def declared_type(declared: Type, actual: Type, *, name: str, refuse: Refuse) -> Type:
    """The type that a variable annotated with `declared` has when its value is of type `actual`."""
    if isinstance(actual, UnknownType) or declared is actual:
        return declared
    if isinstance(declared, ScalarType) and isinstance(actual, ScalarType):
        _check_dtype(declared.dtype, actual.dtype, name=name, refuse=refuse)
        return declared
    if isinstance(declared, TupleType) and isinstance(actual, TupleType):
        return _tuple(declared, actual, name=name, refuse=refuse)
    if not isinstance(declared, type(actual)) and not isinstance(actual, type(declared)):
        refuse(f"Type annotation for '{name}' is {_kind(declared)} but expression has type {_kind(actual)}")
        return declared
    if _says_where(declared):
        return _completed(declared, actual) if _same_rank(declared, actual) else declared
    if isinstance(declared, ShapedType) and isinstance(actual, ShapedType):
        _check_shape(declared, actual, name=name, refuse=refuse)
        _check_dtype(declared.dtype, actual.dtype, name=name, refuse=refuse)
    return _completed(declared, actual)


def _says_where(kind: Type) -> bool:
    """Whether an annotation states a place or a view, as those of lowered programs do: such a one is trusted."""
    if isinstance(kind, TileType):
        return kind.memory_space is not None or kind.memref is not None or kind.tile_view is not None
    return isinstance(kind, TensorType) and (kind.memref is not None or kind.tensor_view is not None)


def _same_rank(declared: Type, actual: Type) -> bool:
    return (
        isinstance(declared, ShapedType) and isinstance(actual, ShapedType) and len(declared.shape) == len(actual.shape)
    )


def _completed(declared: Type, actual: Type) -> Type:
    """The annotation, with what it leaves open taken from the value."""
    if isinstance(declared, TileType) and isinstance(actual, TileType):
        space = declared.memory_space or actual.memory_space
        view = declared.tile_view
        if view is None and (declared.memory_space is None or declared.memory_space is actual.memory_space):
            view = actual.tile_view
        return _changed(declared, memory_space=space, tile_view=view, memref=declared.memref or actual.memref)
    if isinstance(declared, TensorType) and isinstance(actual, TensorType):
        kind = actual if type(actual) is not type(declared) and isinstance(actual, type(declared)) else declared
        if isinstance(kind, DistributedTensorType) and isinstance(actual, DistributedTensorType):
            kind = _changed(kind, window_buffer=kind.window_buffer or actual.window_buffer)
        return _changed(
            rebuilt(kind, {"shape": declared.shape}),
            tensor_view=declared.tensor_view or actual.tensor_view,
            memref=declared.memref or actual.memref,
        )
    return declared


def _changed(kind: Type, **changes: object) -> Type:
    different = {field: value for field, value in changes.items() if getattr(kind, field) is not value}
    return rebuilt(kind, different) if different else kind


def _tuple(declared: TupleType, actual: TupleType, *, name: str, refuse: Refuse) -> Type:
    if len(declared.types) != len(actual.types):
        ours, theirs = len(declared.types), len(actual.types)
        refuse(f"Type annotation for '{name}' has {ours} elements but expression has {theirs}")
        return declared
    pairs = zip(declared.types, actual.types, strict=True)
    return TupleType(tuple(declared_type(one, other, name=name, refuse=refuse) for one, other in pairs))


def _check_shape(declared: ShapedType, actual: ShapedType, *, name: str, refuse: Refuse) -> None:
    ours, theirs = declared.shape, actual.shape
    if len(ours) != len(theirs):
        refuse(f"Type annotation for '{name}' has rank {len(ours)} but expression has rank {len(theirs)}")
        return
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        a, b = as_int(one), as_int(other)
        if a is not None and b is not None and a != b:
            refuse(f"Type annotation for '{name}' has shape dimension {number} = {a} but expression has {b}")


def _check_dtype(declared: DataType, actual: DataType, *, name: str, refuse: Refuse) -> None:
    if declared is actual or (DataType.INDEX in (declared, actual) and declared.is_int() and actual.is_int()):
        return
    refuse(f"Type annotation for '{name}' has dtype {declared} but expression has dtype {actual}")


def _kind(kind: Type) -> str:
    return type(kind).__name__.removesuffix("Type")
