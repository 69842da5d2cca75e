# SPDX-License-Identifier: Apache-2.0
"""Types made of what annotations say: the last step for syntax trees, the whole way for annotation objects."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from pypto_build.dsl.annotations_memref import MemRefReader
from pypto_build.dsl.annotations_names import Names, as_expr, as_index
from pypto_build.dsl.annotations_view import canonical_tensor_view, shape_of
from pypto_build.dsl.language import values
from pypto_build.dsl.language.memory import MemRef as Declaration
from pypto_build.dsl.language.memory import MemRefSlot
from pypto_build.dsl.type_rules import array_type, check_packed
from pypto_build.ir import (
    MEMREF_TYPE,
    PTR_TYPE,
    AsyncEventType,
    AsyncSessionType,
    CommCtxType,
    DataType,
    DistributedTensorType,
    Expr,
    MemorySpace,
    MemRef,
    PrefetchAsyncContextType,
    TensorLayout,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    WindowBufferType,
    scalar_type,
)

Extra = TensorLayout | TensorView | TileView | MemorySpace | MemRef
"""What may follow the shape and the dtype."""

KINDS: Final = "Use pl.Tensor[[64], pl.FP32], pl.Tile[[64], pl.FP32], pl.Scalar[pl.INT32], pl.Array[16, pl.INT32]"

HANDLES: Final[dict[str, Type]] = {
    "Ptr": PTR_TYPE,
    "MemRef": MEMREF_TYPE,
    "WindowBuffer": WindowBufferType(),
    "CommCtx": CommCtxType(),
    "PrefetchAsyncContext": PrefetchAsyncContextType(),
    "AsyncEvent": AsyncEventType(),
    "AsyncSession": AsyncSessionType(),
}


def handle(name: str) -> Type | None:
    """The type without parts that `pl.<name>` or `pl.<name>Type` stands for."""
    return HANDLES.get(name.removesuffix("Type")) if name != "MemRef" else None


def make_tensor(name: str, shape: tuple[Expr, ...], dtype: DataType, *, extras: Sequence[Extra]) -> TensorType:
    """A Tensor or DistributedTensor of a shape, a dtype and what follows."""
    memref: MemRef | None = None
    view: TensorView | None = None
    for extra in extras:
        if isinstance(extra, MemRef):
            memref = extra
        elif isinstance(extra, TensorView):
            view = extra
        elif isinstance(extra, TensorLayout):
            view = TensorView(layout=extra)
    check_packed(shape, dtype)
    cls = DistributedTensorType if name == "DistributedTensor" else TensorType
    return cls(shape, dtype, memref, canonical_tensor_view(shape, view))


class ValueReader:
    """Reads annotation objects, and joins the parts of tiles."""

    def __init__(self, names: Names, memrefs: MemRefReader) -> None:
        self._names = names
        self._memrefs = memrefs

    def make_tile(
        self, shape: tuple[Expr, ...], dtype: DataType, *, extras: Sequence[Extra], node: ast.AST | None
    ) -> TileType:
        """A Tile of a shape, a dtype and what follows."""
        memref = next((extra for extra in extras if isinstance(extra, MemRef)), None)
        space = next((extra for extra in extras if isinstance(extra, MemorySpace)), None)
        view = next((extra for extra in extras if isinstance(extra, TileView)), None)
        if memref is not None and space is None:
            raise self._names.error(
                "A Tile with a pl.MemRef needs an explicit memory space", node, "Add one, such as pl.Mem.Vec"
            )
        check_packed(shape, dtype)
        return TileType(shape, dtype, memref, view, space)

    def read(self, value: object, node: ast.AST | None = None) -> Type:
        """The type that an annotation object stands for."""
        if isinstance(value, Type):
            return value
        if isinstance(value, values.ShapedValue):
            return self._shaped(value, node)
        if isinstance(value, values.Scalar) and isinstance(value.dtype, DataType):
            return scalar_type(value.dtype)
        if isinstance(value, values.Tuple):
            return TupleType(tuple(self.read(element, node) for element in value.arguments))
        cls = value if isinstance(value, type) else type(value)
        found = handle(cls.__name__) if issubclass(cls, values.Handle | Type) else None
        if found is None:
            raise self._names.error(f"Not a type annotation: {value!r}", node, KINDS)
        return found

    def _shaped(self, value: values.ShapedValue, node: ast.AST | None) -> Type:
        name = type(value).__name__
        shape, dtype, *rest = (*value.arguments, None, None)[: max(2, len(value.arguments))]
        if not isinstance(dtype, DataType):
            raise self._names.error(f"{name} requires a shape and a dtype, got {value!r}", node)
        if isinstance(value, values.Array):
            extent = as_index(shape)
            if extent is None:
                raise self._names.error(f"Array extent must be int or pl.dynamic(), got {shape!r}", node)
            return array_type(dtype, as_expr(extent))
        dims = tuple(as_expr(extent) for extent in shape_of(self._names, shape, node))
        extras = [self._extra(extra, node) for extra in rest if not isinstance(extra, str)]
        if isinstance(value, values.Tile):
            return self.make_tile(dims, dtype, extras=extras, node=node)
        return make_tensor(name, dims, dtype, extras=extras)

    def _extra(self, value: object, node: ast.AST | None) -> Extra:
        if isinstance(value, Declaration | MemRefSlot):
            return self._memrefs.from_value(value, "", node)
        if isinstance(value, Extra):
            return value
        raise self._names.error(f"Not part of a type annotation: {value!r}", node)
