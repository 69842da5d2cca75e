# SPDX-License-Identifier: Apache-2.0
"""Public constructors: classes that take lists, numbers and overloads, make our nodes, and recognise them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from pypto_build.compat.sequences import frozen
from pypto_build.dsl.language.views import Constructor, extent
from pypto_build.ir import EMPTY_MAP, Entity, FieldRole, Span, frozen_map

Maker = Callable[..., object]
_TUPLES = (FieldRole.DEFINITIONS, FieldRole.CHILDREN, FieldRole.TYPES)


def constructor(target: type, make: Maker | None = None, **attributes: Maker) -> Constructor:
    """The public class for one of ours; `make` takes the public arguments, else they are those of our constructor."""
    body: dict[str, object] = {
        "TARGET": target,
        "make": staticmethod(make or _default_maker(target)),
        "__doc__": target.__doc__,
        "__module__": "pypto.pypto_core.ir",
        **{name: staticmethod(function) for name, function in attributes.items()},
    }
    return Constructor(target.__name__, (), body)


def abstract(target: type) -> Constructor:
    """The public class for one of ours that has no objects of its own."""

    def refuse(*_args: object, **_kwargs: object) -> object:
        raise TypeError(f"{target.__name__} is abstract: construct one of its subclasses")

    return constructor(target, refuse)


def _default_maker(target: type[Any]) -> Maker:
    if not issubclass(target, Entity) or not target.FIELDS:
        return cast("Maker", target)
    roles = {row.name: row.role for row in target.FIELDS}
    names = tuple(field.name for field in dataclasses.fields(cast("Any", target)))

    def make(*args: object, **kwargs: object) -> object:
        if len(args) > len(names):
            raise TypeError(f"{target.__name__} takes at most {len(names)} arguments, got {len(args)}")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in given or name not in roles:
                raise TypeError(f"{target.__name__} got an unexpected argument {name!r}")
            given[name] = value
        return target(**{name: normalised(roles[name], value) for name, value in given.items()})

    return make


def normalised(role: FieldRole, value: object) -> object:
    """A public argument as our field of this role holds it."""
    if role in _TUPLES:
        return () if value is None else tuple(cast("Iterable[object]", value))
    if role is FieldRole.ATTRS:
        return attributes(value)
    return tuple(cast("list[object]", value)) if isinstance(value, list) else value


def attributes(value: object) -> Mapping[str, object]:
    """A dictionary, a list of pairs or None as a read-only mapping."""
    if value is None:
        return EMPTY_MAP
    given = dict(cast("Mapping[str, object]", value))  # a list of pairs will do as well
    return frozen_map({name: frozen(item) for name, item in given.items()})


def shape(values: Iterable[object]) -> tuple[Any, ...]:
    """A shape: numbers become INDEX constants."""
    return tuple(extent(value) for value in values)


def split_span(args: tuple[object, ...], kwargs: dict[str, Any]) -> tuple[tuple[object, ...], Span]:
    """Positional arguments without a trailing span, and the span, wherever it was given."""
    if "span" in kwargs:
        return args, kwargs.pop("span")
    if args and isinstance(args[-1], Span):
        return args[:-1], args[-1]
    return args, Span.unknown()
