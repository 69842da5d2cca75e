# SPDX-License-Identifier: Apache-2.0
"""Public constructors of expressions, statements, functions and programs whose arguments differ from our fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from pypto_build.compat.constructors import Maker, attributes, normalised, split_span
from pypto_build.errors import InternalError
from pypto_build.ir import (
    PTR_TYPE,
    UNKNOWN_TYPE,
    Call,
    CommDomainScopeStmt,
    ConstInt,
    DataType,
    Expr,
    FieldRole,
    Function,
    FunctionType,
    IterArg,
    Level,
    MemorySpace,
    MemRef,
    Op,
    ParamDirection,
    Program,
    Role,
    ScalarType,
    Span,
    SplitAivScopeStmt,
    SplitMode,
    SpmdScopeStmt,
    Stmt,
    Submit,
    Type,
    Var,
    WindowBuffer,
    const_index,
)
from pypto_build.ir.types import TupleType


def make_call(op: Op, args: Sequence[Expr], *rest: object, **kwargs: Any) -> Call:
    """Call(op, args[, kwargs[, attrs]][, type], span): what the middle arguments are follows from their classes."""
    rest, span = split_span(rest, kwargs)
    kind = kwargs.pop("type", None)
    maps: list[object] = []
    for value in rest:
        if isinstance(value, Type):
            kind = value
        else:
            maps.append(value)
    named = kwargs.pop("kwargs", maps[0] if maps else None)
    attrs = attributes(kwargs.pop("attrs", maps[1] if len(maps) > 1 else None))
    if kwargs:
        raise TypeError(f"Call got an unexpected argument {next(iter(kwargs))!r}")
    _check_directions(attrs, args)
    return Call(op, tuple(args), attributes(named), attrs, UNKNOWN_TYPE if kind is None else kind, span)


def _check_directions(attrs: Mapping[str, object], args: Sequence[Expr]) -> None:
    directions = attrs.get("arg_directions")
    if isinstance(directions, tuple) and directions and len(cast("tuple[object, ...]", directions)) != len(args):
        count = len(cast("tuple[object, ...]", directions))
        raise TypeError(f"attrs['arg_directions'] size ({count}) must match args size ({len(args)})")


def make_submit(op: Op, args: Sequence[Expr], deps: Sequence[Expr], *rest: object, **kwargs: Any) -> Submit:
    """Submit(op, args, deps[, kwargs, attrs], type, span, core_num, sync_start, allow_early_resolve, predicate)."""
    names = ("type", "span") if rest and isinstance(rest[0], Type) else ("kwargs", "attrs", "type", "span")
    names = (*names, "core_num", "sync_start", "allow_early_resolve", "predicate")
    given: dict[str, Any] = {**dict(zip(names, rest, strict=False)), **kwargs}
    attrs = attributes(given.pop("attrs", None))
    _check_directions(attrs, args)
    named = attributes(given.pop("kwargs", None))
    core_num = given.get("core_num")
    if isinstance(core_num, Expr) and not (isinstance(core_num.type, ScalarType) and core_num.type.dtype.is_int()):
        raise TypeError(f"Submit core_num must be an integer expression, got {core_num.type}")
    if given.get("sync_start") and given.get("core_num") is None:
        raise ValueError("Submit with sync_start needs core_num")
    return Submit(op, tuple(args), tuple(deps), named, attrs, **given)


def make_values(target: type) -> Maker:
    """The constructor of a statement that is `(value, span)` or `(span)`."""

    def make(*args: object, **kwargs: Any) -> object:
        rest, span = split_span(args, kwargs)
        value = kwargs.pop("value", rest[0] if rest else ())
        return target(tuple(cast("Iterable[Expr]", value)), span, **kwargs)

    return make


def make_iter_arg(
    name_hint: str,
    type: Type,
    initValue: Expr | None = None,  # the public name
    span: Span | None = None,
    **kwargs: Any,
) -> IterArg:
    """IterArg(name_hint, type, initValue, span)."""
    init = kwargs.get("init_value", initValue)
    return IterArg(name_hint, type, span or Span.unknown(), init)


def make_scope(target: type, *names: str) -> Maker:
    """The constructor of a scope: its own fields, name_hint, then body and span by keyword."""

    def make(*args: object, body: Stmt, span: Span | None = None, attrs: object = None, **kwargs: Any) -> object:
        given: dict[str, Any] = {**dict(zip((*names, "name_hint"), args, strict=False)), **kwargs}
        if target is SpmdScopeStmt:
            core_num = given["core_num"]
            if isinstance(core_num, int):
                if core_num <= 0:
                    raise ValueError(f"SpmdScopeStmt needs a positive core_num, got {core_num}")
                given["core_num"] = const_index(core_num, span or Span.unknown())
        if target is SplitAivScopeStmt and given.get("count", 2) != 2:
            raise InternalError(f"SplitAivScopeStmt divides between 2 cores, got {given['count']}")
        if target is CommDomainScopeStmt:
            given = {name: normalised(FieldRole.CHILDREN, v) if name != "name_hint" else v for name, v in given.items()}
        return target(body=body, span=span or Span.unknown(), attrs=attributes(attrs), **given)

    return make


def make_function(  # noqa: PLR0917  # the public argument order
    name: str,
    params: Iterable[Var | tuple[Var, ParamDirection]],
    return_types: Iterable[Type],
    body: Stmt,
    span: Span | None = None,
    type: FunctionType = FunctionType.Opaque,
    level: Level | None = None,
    role: Role | None = None,
    attrs: Mapping[str, object] | None = None,
    requires_runtime_binding: bool = False,
) -> Function:
    """Function(name, params, return_types, body, span, type, ...); a parameter is a Var or a (Var, direction) pair."""
    pairs = [one if isinstance(one, tuple) else (one, ParamDirection.In) for one in params]
    return Function(
        name,
        tuple(var for var, _ in pairs),
        tuple(direction for _, direction in pairs),
        tuple(return_types),
        body,
        span or Span.unknown(),
        type,
        level,
        role,
        _function_attributes(attrs),
        requires_runtime_binding,
    )


def _function_attributes(attrs: Mapping[str, object] | None) -> Mapping[str, object]:
    """The attributes of a function as the front end stores them: a way to split by its number, none by its absence."""
    given = attributes(attrs)
    split = given.get("split")
    if not isinstance(split, SplitMode):
        return given
    rest = {name: value for name, value in given.items() if name != "split"}
    return attributes(rest if split is SplitMode.NONE else {**given, "split": split.value})


def make_program(functions: object, name: str = "", span: Span | None = None) -> Program:
    """Program(functions, name, span); functions may be a list or a mapping."""
    given = cast("Mapping[object, Function]", functions).values() if isinstance(functions, Mapping) else functions
    listed = tuple(cast("Iterable[Function]", given))
    return Program(listed, name, span or Span.unknown())  # type: ignore[arg-type]  # the constructor orders them


def make_tuple_get_item(tuple: Expr, index: int, span: Span | None = None) -> Expr:
    """TupleGetItemExpr(tuple, index, span); the index must be in the tuple."""
    from pypto_build.ir import TupleGetItemExpr

    kind = tuple.type
    if not isinstance(kind, TupleType):
        raise ValueError(f"TupleGetItemExpr expects a tuple, got {kind}")
    if not 0 <= index < len(kind.types):
        raise ValueError(f"TupleGetItemExpr index {index} is out of bounds for {len(kind.types)} elements")
    return TupleGetItemExpr(tuple, index, span or Span.unknown())


_counter = iter(range(1 << 62))


def make_memref(*args: object, slots: int = 1, slot: Expr | None = None, **kwargs: Any) -> MemRef:
    """All overloads of MemRef: declared without or with a name, a range of a base, and the two legacy forms."""
    rest, span = split_span(args, kwargs)
    names = ("base", "byte_offset", "size", "is_pinned", "slots", "slot")
    if "base" in kwargs or "name" in kwargs:
        rest = (kwargs.pop("base", None) or kwargs.pop("name"), *rest)
    ordered = [*rest, *(kwargs.pop(name) for name in names[len(rest) : 3] if name in kwargs)]
    if len(ordered) < 2:
        name = cast(str, ordered[0]) if ordered else f"memref_{next(_counter)}"
        return _declared(name, slots, span)
    if isinstance(ordered[0], MemorySpace):
        space, address, size, number = cast("tuple[MemorySpace, Any, int, int]", tuple(ordered))
        return _range(f"mem_{space.name.lower()}_{number}", address, size, span=span)
    if isinstance(ordered[0], int):
        address, size, number = cast("tuple[int, int, int]", tuple(ordered))
        return _range(f"mem_ddr_{number}", address, size, span=span)
    base, offset, size = cast("tuple[Any, Any, int]", tuple(ordered[:3]))
    return _of_base(base, offset, size, span=span, rest=args[3:], slots=slots, slot=slot, **kwargs)


def _of_base(base: Any, offset: Any, size: int, *, span: Span, rest: tuple[object, ...], **kwargs: Any) -> MemRef:
    extra = [value for value in rest if not isinstance(value, Span)]
    pinned = kwargs.get("is_pinned", extra[0] if extra else False)
    slots = extra[1] if len(extra) > 1 else kwargs["slots"]
    slot = extra[2] if len(extra) > 2 else kwargs["slot"]
    made = _range(base, offset, size, span=span)
    return made.replace(is_pinned=bool(pinned), slot_count=slots, slot_index=slot)


def _declared(name: str, slots: int, span: Span) -> MemRef:
    if slots < 1:
        raise ValueError(f"a declared MemRef needs at least one slot, got {slots}")
    base = Var(name, PTR_TYPE, span)
    zero = ConstInt(0, DataType.INDEX, span)
    return MemRef(name, span=span, base=base, byte_offset=zero, is_pinned=True, slot_count=slots)


def _range(base: str | Var, offset: Expr | int, size: int, *, span: Span) -> MemRef:
    variable = Var(base, PTR_TYPE, span) if isinstance(base, str) else base
    start = ConstInt(offset, DataType.INDEX, span) if isinstance(offset, int) else offset
    return MemRef(variable.name_hint, span=span, base=variable, byte_offset=start, size=size)


def make_window_buffer(
    base: Var,
    size: Expr,
    load_from_host: bool = False,
    store_to_host: bool = False,
    span: Span | None = None,
) -> WindowBuffer:
    """WindowBuffer(base, size, load_from_host, store_to_host, span); it is named after its base."""
    return WindowBuffer(
        base.name_hint,
        span=span or Span.unknown(),
        base=base,
        size=size,
        load_from_host=load_from_host,
        store_to_host=store_to_host,
    )
