# SPDX-License-Identifier: Apache-2.0
"""Operations by their dotted name, for the front end and for Python that calls them on wrapped values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from pypto_build.dsl.language.arithmetic import Arithmetic
from pypto_build.dsl.language.builders import NAMESPACES, builder
from pypto_build.dsl.language.values import Value, wrapped
from pypto_build.dsl.unified import PROMOTED, UNIFIED
from pypto_build.ir import Expr

Builder = Callable[..., object]


def resolve(path: tuple[str, ...]) -> Builder | None:
    """What builds the operation of this dotted name: ("pl", "add"), ("pl", "tile", "load"), ("pld", "rank").

    It takes IR values, Python values and lists of them, and `span=`; it returns an expression and raises TypeError or
    ValueError for wrong arguments. None when there is no such operation.
    """
    *namespace, name = path
    if namespace[:1] == ["pl"]:
        del namespace[0]
    if not namespace:
        if name in UNIFIED:
            return UNIFIED[name]
        return builder(*PROMOTED[name]) if name in PROMOTED else None
    dotted = ".".join("pld" if part == "distributed" else part for part in namespace)
    return builder(dotted, name) if dotted in NAMESPACES else None


def operation(path: tuple[str, ...]) -> Builder | None:
    """The operation as a function of wrapped values (`pl.Tensor`, `pl.Tile`, ...) that returns wrapped values."""
    if path[:1] == ("pl",) and len(path) == 2 and path[1] in PROMOTED:
        return operation(PROMOTED[path[1]])  # one object under both names
    build = resolve(path)
    return None if build is None else _on_wrapped(build, ".".join(("pl", *path)))


_MADE: dict[Builder, Builder] = {}  # a builder with two names is one object under both


def _on_wrapped(build: Builder, dotted: str) -> Builder:
    if build in _MADE:
        return _MADE[build]

    def call(*args: object, **kwargs: object) -> object:
        made = build(*(_unwrapped(arg) for arg in args), **{name: _unwrapped(arg) for name, arg in kwargs.items()})
        return wrapped(made) if isinstance(made, Expr) else made

    call.__name__ = dotted.rpartition(".")[2]
    call.__qualname__ = dotted
    call.__doc__ = build.__doc__
    call.__wrapped__ = build  # type: ignore[attr-defined]  # where its signature comes from
    return _MADE.setdefault(build, call)


def _unwrapped(value: object) -> object:
    if isinstance(value, Value | Arithmetic):
        return value.unwrap()
    if isinstance(value, list | tuple):
        return [_unwrapped(item) for item in cast("Sequence[object]", value)]
    return value


def namespace(dotted: str) -> tuple[Callable[[str], Builder | list[str]], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for the module of a namespace."""

    def find(name: str) -> Builder | list[str]:
        if name == "__all__":
            return names()
        found = None if name.startswith("__") else operation((*dotted.split("."), name))
        if found is None:
            raise AttributeError(f"module 'pl.{dotted}' has no attribute {name!r}")
        return found

    def names() -> list[str]:
        from pypto_build.ops import current_registry  # the registry is loaded when somebody asks

        start = f"{dotted}."
        return sorted(name.removeprefix(start) for name in current_registry().names if name.startswith(start))

    return find, names
