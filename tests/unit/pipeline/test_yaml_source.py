# SPDX-License-Identifier: Apache-2.0
"""YAML text becomes data with places, by the rules of YAML 1.2, and everything wrong with it is said."""

from __future__ import annotations

import math
import time

import pytest

from pypto_build.errors import Span
from pypto_build.pipeline.yaml_nodes import key_span, nearest_node, plain, without
from pypto_build.pipeline.yaml_source import MAX_DEPTH, read_yaml


def data(text):
    document = read_yaml(text, "f.yaml")
    assert document.problems == ()
    return plain(document.root)


def problems(text):
    return [
        f"{one.span.begin_line}:{one.span.begin_column} {one.message}" for one in read_yaml(text, "f.yaml").problems
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("'null'", "null"),
        ("010", 10),
        ("-7", -7),
        ("0x1F", 31),
        ("0o17", 15),
        ("1e3", 1000.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("-.inf", -math.inf),
        ("12:30:45", "12:30:45"),
        ("2001-01-01", "2001-01-01"),
        ("1_000", "1_000"),
        ("'1'", "1"),
        ("=", "="),
    ],
)
def test_scalars_follow_yaml_1_2(text, value):
    assert data(f"- {text}\n") == [value]


def test_not_a_number_is_a_number():
    assert math.isnan(data("- .nan\n")[0])


def test_an_empty_value_is_nothing():
    assert data("a:\n") == {"a": None}


def test_block_and_flow_styles_mean_the_same():
    assert data("a: [1, {b: c}]\n") == data("a:\n  - 1\n  - b: c\n") == {"a": [1, {"b": "c"}]}


def test_every_value_and_key_has_its_place():
    root = read_yaml("a: 1\nb:\n  - long text\n", "f.yaml").root
    assert nearest_node(root, ("b", 0)).span == Span("f.yaml", 3, 5, 3, 14)
    assert key_span(root, ("b",)) == Span("f.yaml", 2, 1, 2, 2)
    assert nearest_node(root, ("b", 7, "x")).span.begin_line == 3


def test_an_alias_means_its_anchor():
    assert data("a: &x {k: 1}\nb: *x\nc: [*x, *x]\n")["c"] == [{"k": 1}, {"k": 1}]


def test_a_tree_can_do_without_a_value():
    root = read_yaml("a: {b: 1, c: 2}\nd: [1, 2]\n", "f.yaml").root
    assert plain(without(without(root, ("a", "b")), ("d", 0))) == {"a": {"c": 2}, "d": [2]}


def test_all_problems_of_a_file_are_reported_at_once():
    text = "a: 1\na: 2\nb: !!str 3\n<<: {c: 1}\n? [k]\n: 1\nd: *nowhere\ne: 5\n"
    assert problems(text) == [
        "2:1 key `a` occurs twice",
        "3:4 tag `!!str` is not allowed",
        "4:1 merge keys are not part of YAML 1.2",
        "5:3 a key is text, not a list or mapping",
        "7:4 there is no anchor `nowhere`",
    ]
    assert plain(read_yaml(text, "f.yaml").root)["e"] == 5


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1 the file has no content"),
        ("# only a comment\n", "1:1 the file has no content"),
        ("a: [1\n", "2:1 expected ',' or ']', but got '<stream end>'"),
        ("a:\n\tb: 1\n", "2:1 a tab cannot indent"),
        ("a: b: c\n", "1:5 mapping values are not allowed here"),
        ("a: 1\n---\nb: 2\n", "2:1 a second document begins here, and one file holds one pipeline"),
        ("%YAML 1.1\n---\na: 1\n", "1:1 directives are not used here; every file is read as YAML 1.2"),
        ("a: &x [*x]\n", "1:8 anchor `x` contains itself"),
        ("a: \x07\n", "1:4 character U+0007 is not allowed"),
        ("a: " + "9" * 41 + "\n", "1:4 the number has more than 40 digits"),
        ("!mine\na: 1\n", "1:1 tag `!mine` is not allowed"),
    ],
)
def test_what_is_not_a_pipeline_file_is_refused_with_its_place(text, problem):
    assert problems(text) == [problem]


def test_aliases_of_aliases_are_counted_instead_of_expanded():
    levels = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10))
    started = time.perf_counter()
    (problem,) = problems("a0: &a0 x\n" + levels)
    assert problem.endswith("the file has more than 10000 values, each alias counted as what it stands for")
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("text", ["[" * 5000, "- " * 5000, "{a: " * 5000])
def test_deep_nesting_is_refused_without_recursion(text):
    (problem,) = problems(text)
    assert problem.endswith((f"lists and mappings are nested more than {MAX_DEPTH} deep", "maximum nesting depth"))
