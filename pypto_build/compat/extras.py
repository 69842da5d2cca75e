# SPDX-License-Identifier: Apache-2.0
"""Attributes that the public interface has under other names, or that our classes do not need themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pypto_build.ir import (
    ArgDirection,
    AsyncEventType,
    AsyncSessionType,
    Call,
    CommCtxType,
    ConstInt,
    Function,
    IterArg,
    MemRef,
    Node,
    Op,
    PrefetchAsyncContextType,
    Program,
    PtrType,
    SeqStmts,
    ShapedType,
    Span,
    SplitMode,
    Stmt,
    Submit,
    TensorView,
    TileType,
    TileView,
    UnknownType,
    Var,
    WindowBufferType,
)

SetAttribute = Callable[[type, str, object], None]
_SINGLETONS = (
    UnknownType,
    PtrType,
    WindowBufferType,
    CommCtxType,
    PrefetchAsyncContextType,
    AsyncEventType,
    AsyncSessionType,
)
_MEMREF_FIELDS = ("base", "byte_offset", "size", "is_pinned", "slot_count", "slot_index")


def patch(set_attribute: SetAttribute) -> None:
    """Put the attributes on their classes."""
    set_attribute(Node, "as_python", _as_python)
    set_attribute(IterArg, "initValue", property(lambda arg: cast("IterArg", arg).init_value))
    set_attribute(Var, "unique_id", property(id))
    for name in _MEMREF_FIELDS:
        set_attribute(MemRef, f"{name}_", property(_reader(name)))
    set_attribute(MemRef, "__getitem__", _memref_slot)
    set_attribute(TileType, "get_effective_tile_view", TileType.effective_tile_view)
    set_attribute(ShapedType, "shares_memref_with", _shares_memref)
    set_attribute(Function, "split", property(_split))
    set_attribute(Program, "__getitem__", _function)
    set_attribute(SeqStmts, "__getitem__", _statement)
    for cls in (Call, Submit):
        set_attribute(cls, "arg_directions", property(_arg_directions))
    set_attribute(Op, "has_attr", _has_attr)
    set_attribute(Op, "get_attr_keys", _attr_keys)
    set_attribute(TensorView, "__setattr__", _set_view_field)
    set_attribute(Span, "__repr__", Span.to_string)
    for cls in _SINGLETONS:
        set_attribute(cls, "get", staticmethod(cls))


def _reader(name: str) -> Callable[[object], Any]:
    return lambda ref: getattr(ref, name)


def _as_python(node: Node, prefix: str = "pl", concise: bool = False, format: bool = True) -> str:
    from pypto_build.compat.printing import python_print  # the formatter hangs on it

    return python_print(node, prefix, concise, format)


def _memref_slot(ref: MemRef, slot: int) -> MemRef:
    if not ref.is_pinned:
        raise ValueError("only a declared allocation has slots")
    if not 0 <= slot < ref.slot_count:
        raise ValueError(f"slot {slot} is out of range, the allocation has {ref.slot_count}")
    return ref.replace(slot_index=ConstInt(slot))


def _shares_memref(own: Any, other: Any) -> bool:
    return own.memref is not None and own.memref is other.memref


def _function(program: Program, name: str) -> Function | None:
    return program.get_function(name)


def _has_attr(op: Op, key: str) -> bool:
    return key in _attr_keys(op)


def _attr_keys(op: Op) -> list[str]:
    from pypto_build.ops import builtin_registry  # loaded when somebody asks

    return [kwarg.name for kwarg in builtin_registry().get(op.name).kwargs] if builtin_registry().has(op.name) else []


def _split(function: Function) -> SplitMode | None:
    found = function.attrs.get("split")
    mode = SplitMode(found) if isinstance(found, int) else cast("SplitMode | None", found)
    return None if mode is SplitMode.NONE else mode


def _statement(sequence: SeqStmts, index: int) -> Stmt:
    return tuple(sequence.stmts)[index]


def _arg_directions(call: Call | Submit) -> list[ArgDirection]:
    return list(cast("tuple[ArgDirection, ...]", call.attrs.get("arg_directions", ())))


def _set_view_field(view: TensorView, name: str, value: object) -> None:
    from pypto_build.dsl.language.views import extents  # accepts numbers and dynamic dimensions

    if isinstance(view, TileView):
        raise AttributeError(f"cannot assign to field {name!r}")
    object.__setattr__(view, name, extents(cast("list[object]", value)) if name in ("stride", "valid_shape") else value)
