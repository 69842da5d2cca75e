# SPDX-License-Identifier: Apache-2.0
"""Values of keyword arguments and attributes, and the `{...}` of attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from pypto_build.ir.expr import Expr, GlobalVar, Op
from pypto_build.ir.printing.context import Context
from pypto_build.ir.printing.expressions import typed_expression
from pypto_build.ir.printing.literals import plain_text, string_text
from pypto_build.ir.printing.parts import Part, Parts, bracketed, keyword, separated
from pypto_build.ir.printing.types import type_text
from pypto_build.ir.types import Type


def value(ctx: Context, given: object) -> Part:
    """One value; a constant of the IR states its type, so that it differs from a plain number."""
    if isinstance(given, Expr):
        return typed_expression(ctx, given)
    if isinstance(given, tuple | list):
        return bracketed(value(ctx, item) for item in cast("Iterable[object]", given))
    if isinstance(given, Type):
        return type_text(ctx, given)
    if isinstance(given, GlobalVar):
        return f"self.{given.name}"
    if isinstance(given, Op):
        return f"{ctx.pl}.Op({string_text(given.name)})"
    return plain_text(given, ctx.pl)


def mapping(ctx: Context, attrs: Mapping[str, object]) -> Parts:
    """`{"name": value, ...}`"""
    yield "{"
    yield separated(_entry(ctx, name, given) for name, given in attrs.items())
    yield "}"


def _entry(ctx: Context, name: str, given: object) -> Parts:
    yield f"{string_text(name)}: "
    yield value(ctx, given)


def remaining(attrs: Mapping[str, object], shown: Iterable[str]) -> dict[str, object]:
    """The attributes that have no place of their own in the text."""
    hidden = frozenset(shown)
    return {name: given for name, given in attrs.items() if name not in hidden}


def attrs_keyword(ctx: Context, attrs: Mapping[str, object]) -> Iterator[Part]:
    """`attrs={...}`, or nothing when there are none."""
    if attrs:
        yield keyword("attrs", mapping(ctx, attrs))
