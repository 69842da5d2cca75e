# SPDX-License-Identifier: Apache-2.0
"""The page with the whole IR says what the classes say."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import pypto_build.ir
from pypto_build import ir
from pypto_build.ir import enums
from pypto_build.ir.node import Entity, FieldRole, FieldSpec
from tests.unit.ir.changes import CLASSES

PAGE = Path(pypto_build.ir.__file__).with_name("GRAMMAR.md").read_text()
BLOCK = re.sub(r"--.*", "", re.search(r"```asdl\n(.*?)```", PAGE, re.S)[1])  # type: ignore[index]  # the page has one
PLAIN = {"str", "int", "float", "bool", "dtype", "op"}
COMMON = {"span", "leading_comments"}
RULE = re.compile(r"(\w+)(?:\[([\w\s]+)\])?\(([^)]*)\)")
FIELD = re.compile(r"(?P<hint>~?)(?P<kind>\w+)(?P<binds>!?)(?P<mark>[*?]?) (?P<name>\w+)")


def stated() -> dict[str, list[re.Match[str]]]:
    """Class name -> the fields that the page gives it."""
    found: dict[str, list[re.Match[str]]] = {}
    for name, members, inside in RULE.findall(BLOCK.partition("op   =")[0]):
        listed = [FIELD.fullmatch(" ".join(text.split())) for text in inside.split(",") if text.strip()]
        assert None not in listed, f"{name}({inside})"
        for one in members.split() or [name]:
            assert one not in found
            found[one] = listed  # type: ignore[assignment]  # None is excluded above
    return found


STATED = stated()


def role(field: re.Match[str]) -> FieldRole:
    several = field["mark"] == "*"
    if field["binds"]:
        return FieldRole.DEFINITIONS if several else FieldRole.DEFINITION
    if field["kind"] == "attrs":
        return FieldRole.ATTRS
    if field["kind"] == "type":
        return FieldRole.TYPES if several else FieldRole.TYPE
    if field["kind"] in PLAIN or hasattr(enums, field["kind"]):
        return FieldRole.DATA
    return FieldRole.CHILDREN if several else FieldRole.CHILD


def own(cls: type[Entity]) -> list[FieldSpec]:
    return [row for row in cls.FIELDS if row.name not in COMMON and not (cls is ir.Program and row.name == "functions")]


def test_the_page_has_exactly_the_classes():
    assert sorted(STATED) == sorted(cls.__name__ for cls in CLASSES)


@pytest.mark.parametrize("cls", CLASSES)
def test_the_page_has_the_fields_of_a_class_in_order(cls: type[Entity]):
    assert [field["name"] for field in STATED[cls.__name__]] == [row.name for row in own(cls)]


@pytest.mark.parametrize("cls", CLASSES)
def test_the_page_says_what_each_field_means(cls: type[Entity]):
    assert [role(field) for field in STATED[cls.__name__]] == [row.role for row in own(cls)]


@pytest.mark.parametrize("cls", CLASSES)
def test_the_page_says_what_comparisons_overlook(cls: type[Entity]):
    assert [not field["hint"] for field in STATED[cls.__name__]] == [row.compared for row in own(cls)]


@pytest.mark.parametrize("cls", CLASSES)
def test_only_what_may_be_absent_is_marked_so(cls: type[Entity]):
    defaults = {row.name: row.default for row in fields(cls)}  # type: ignore[arg-type]  # every class is a dataclass
    absent = [field["name"] for field in STATED[cls.__name__] if field["mark"] == "?"]
    assert all(defaults[name] is None for name in absent)


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_has_the_common_fields_of_its_kind(cls: type[Entity]):
    names = {row.name for row in cls.FIELDS}
    assert ("span" in names) == issubclass(cls, ir.expr.Node)
    assert ("leading_comments" in names) == issubclass(cls, ir.Stmt | ir.Function | ir.Program)


def test_the_page_fits_one_screen():
    assert len(BLOCK.splitlines()) <= 80
