# SPDX-License-Identifier: Apache-2.0
"""The fields of a class as options: types, bounds, defaults, documentation, JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, ClassVar, Literal

import pytest

from pypto_build.pipeline.option_types import OptionValueError, option_type
from pypto_build.pipeline.options import documented_options, option_values, options_of

if TYPE_CHECKING:
    from somewhere_else import Unknown


class Fit(Enum):
    FIRST = 1
    BEST_OF_ALL = 2


class Word(StrEnum):
    LONG = "a-long-word"


@dataclass(frozen=True)
class Everything:
    """A class with every kind of option."""

    shared: ClassVar[Unknown]
    count: int = field(default=4, metadata={"minimum": 1, "maximum": 8})
    """How many."""
    ratio: float = 0.5
    on: bool = True
    names: tuple[str, ...] = field(default_factory=tuple)
    pair: tuple[int, int] = (1, 2)
    fit: Fit = Fit.FIRST
    mode: Literal["a", "b"] = "a"
    limit: int | None = field(default=None, metadata={"doc": "At most so many."})
    sizes: Mapping[str, int] = field(default_factory=dict)
    _hidden: int = 0


@pytest.mark.parametrize(
    ("annotation", "written", "meant"),
    [
        (int, 3, 3),
        (float, 3, 3.0),
        (bool, False, False),
        (str, "x", "x"),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (tuple[int, int], [1, 2], (1, 2)),
        (Fit, "best_of_all", Fit.BEST_OF_ALL),
        (Word, "a-long-word", Word.LONG),
        (Literal[1, "one"], 1, 1),
        (int | None, None, None),
        (int | str, "x", "x"),
        (Mapping[str, int], {"a": 1}, {"a": 1}),
        (tuple[tuple[int, ...], ...], [[1], []], ((1,), ())),
    ],
)
def test_a_yaml_value_becomes_the_value_of_the_field(annotation, written, meant):
    assert option_type(annotation).convert(written) == meant


@pytest.mark.parametrize(
    ("annotation", "written", "message"),
    [
        (int, True, "takes an integer, not `true`"),
        (int, 1.0, "takes an integer, not the number 1.0"),
        (float, "1", "takes a number, not the text `1`"),
        (bool, 1, "takes `true` or `false`, not the number 1"),
        (str, None, "takes text, not nothing"),
        (tuple[int, int], [1], "takes a list of 2 values, not of 1"),
        (tuple[int, ...], 1, "takes a list, not the number 1"),
        (Fit, "FIRST", "takes one of `first`, `best_of_all`, not the text `FIRST`"),
        (Literal[1], True, "takes one of `1`, not `true`"),
        (int | None, [], "takes an integer or `null`, not a list"),
        (Mapping[str, int], {"a": "b"}, "has an item that takes an integer, not the text `b`"),
        (Mapping[str, int], 4, "takes a mapping, not the number 4"),
    ],
)
def test_a_value_of_another_type_is_refused(annotation, written, message):
    with pytest.raises(OptionValueError) as caught:
        option_type(annotation).convert(written)
    assert str(caught.value) == message


@pytest.mark.parametrize("annotation", [complex, dict, object, list[int], tuple[int, str], Mapping[int, int]])
def test_a_type_that_yaml_cannot_write_is_not_an_option(annotation):
    with pytest.raises(TypeError, match="an option cannot have the type"):
        option_type(annotation)


def test_the_fields_of_a_class_are_its_options_whatever_else_it_annotates():
    names = [option.name for option in options_of(Everything)]
    assert names == ["count", "ratio", "on", "names", "pair", "fit", "mode", "limit", "sizes"]


def test_a_class_without_fields_has_no_options():
    assert options_of(int) == ()


def test_documentation_is_the_text_below_a_field_or_its_metadata():
    docs = {option.name: option.doc for option in documented_options(Everything)}
    assert (docs["count"], docs["limit"], docs["ratio"]) == ("How many.", "At most so many.", "")


def test_every_default_can_be_written():
    assert option_values(Everything()) == {
        "count": 4,
        "ratio": 0.5,
        "on": True,
        "names": [],
        "pair": [1, 2],
        "fit": "first",
        "mode": "a",
        "limit": None,
        "sizes": {},
    }


def test_what_is_written_is_read_as_the_same_value():
    written = option_values(Everything(fit=Fit.BEST_OF_ALL, names=("x",)))
    options = {option.name: option for option in options_of(Everything)}
    values = {name: options[name].convert(value) for name, value in written.items()}
    assert Everything(**values) == Everything(fit=Fit.BEST_OF_ALL, names=("x",))


def test_an_option_has_a_schema():
    schemas = {option.name: option.schema() for option in documented_options(Everything)}
    assert schemas["count"] == {
        "type": "integer",
        "description": "How many.",
        "minimum": 1,
        "maximum": 8,
        "default": 4,
    }
    assert schemas["pair"] == {
        "type": "array",
        "items": {"type": "integer"},
        "minItems": 2,
        "maxItems": 2,
        "default": [1, 2],
    }
    assert schemas["limit"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert schemas["fit"] == {"enum": ["first", "best_of_all"], "default": "first"}
