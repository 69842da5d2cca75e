# SPDX-License-Identifier: Apache-2.0
"""The options of a pass, target or simulator: the fields of its class, with type, default, bounds and documentation.

A field may carry metadata: `doc` (one sentence; a text below the field does as well), `minimum` and `maximum`.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast, get_type_hints

from pypto_build.pipeline.option_types import Json, OptionType, OptionValueError, option_type, plain_value

MISSING = dataclasses.MISSING


@dataclass(frozen=True, slots=True)
class Option:
    """One option; `default` is `MISSING` when it must be given."""

    name: str
    type: OptionType
    default: object
    doc: str = ""
    minimum: int | float | None = None
    maximum: int | float | None = None

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING

    def convert(self, value: object) -> object:
        """A YAML value as the pass gets it; OptionValueError when it does not fit."""
        converted = self.type.convert(value)
        if isinstance(converted, int | float) and not isinstance(converted, bool):
            if self.minimum is not None and converted < self.minimum:
                raise OptionValueError(f"must be at least {self.minimum}, not {converted}")
            if self.maximum is not None and converted > self.maximum:
                raise OptionValueError(f"must be at most {self.maximum}, not {converted}")
        return converted

    def schema(self) -> Json:
        """JSON Schema of the option."""
        facts: Json = {**self.type.schema(), "description": self.doc or None, "minimum": self.minimum}
        facts["maximum"] = self.maximum
        schema: Json = {name: fact for name, fact in facts.items() if fact is not None}
        return schema if self.required else {**schema, "default": plain_value(self.default)}


def options_of(cls: type) -> tuple[Option, ...]:
    """The options of a class in the order of its fields; TypeError when a field's type cannot be an option's."""
    if not dataclasses.is_dataclass(cls):
        return ()
    fields = [one for one in dataclasses.fields(cls) if one.init and not one.name.startswith("_")]
    return tuple(_option(cls, one) for one in fields)


def documented_options(cls: type) -> tuple[Option, ...]:
    """The options of a class, with the texts that stand below its fields where their metadata has none."""
    docs = _field_docs(cls)
    return tuple(one if one.doc else dataclasses.replace(one, doc=docs.get(one.name, "")) for one in options_of(cls))


def option_values(instance: object) -> dict[str, object]:
    """The value of every option of an instance, as YAML writes it: defaults are there as well."""
    return {one.name: plain_value(getattr(instance, one.name)) for one in options_of(type(instance))}


def _field_docs(cls: type) -> dict[str, str]:
    """The texts that stand below the fields of a class and of its bases, by field."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if dataclasses.is_dataclass(base):
            docs |= _texts_below(base)
    return docs


def _texts_below(cls: type) -> dict[str, str]:

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):  # a class made without a file
        return {}
    body = tree.body[0].body if tree.body and isinstance(tree.body[0], ast.ClassDef) else []
    docs: dict[str, str] = {}
    for field, below in itertools.pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as text)):
                docs[name] = " ".join(text.split())
            case _:
                pass
    return docs


def _option(cls: type, field: dataclasses.Field[object]) -> Option:
    metadata = cast(Mapping[str, object], field.metadata)
    default = field.default
    if field.default_factory is not MISSING:
        default = field.default_factory()
    try:
        kind = option_type(_annotation(cls, field))
    except (TypeError, NameError) as error:
        raise TypeError(f"option `{field.name}` of {cls.__name__}: {error}") from None
    return Option(
        name=field.name,
        type=kind,
        default=default,
        doc=str(metadata.get("doc", "")),
        minimum=cast(int | float | None, metadata.get("minimum")),
        maximum=cast(int | float | None, metadata.get("maximum")),
    )


def _annotation(cls: type, field: dataclasses.Field[object]) -> object:
    """The type of one field. The class's other annotations may name what is imported for type checkers only."""
    owner = next(base for base in cls.__mro__ if field.name in inspect.get_annotations(base))
    names = vars(sys.modules[owner.__module__])
    return get_type_hints(SimpleNamespace(__annotations__={field.name: field.type}), globalns=names)[field.name]
