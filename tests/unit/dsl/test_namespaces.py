# SPDX-License-Identifier: Apache-2.0
"""Every name of the language, and the parameters of every function, as `namespaces.json` lists them.

The table is the public interface: a parameter `b?` may be left out and is None then, `*` is in front of those that are
given by name only. What a program may write besides is listed here.
"""

from __future__ import annotations

import inspect
import json
import operator
from collections.abc import Mapping
from pathlib import Path

import pytest

import pypto_build.dsl.language as pl
import pypto_build.dsl.language.distributed as pld
from pypto_build.dsl.language.operations import resolve
from tests.unit.dsl.fuzz.calls import Parameter, parameters

TABLE = json.loads(Path(__file__).with_name("namespaces.json").read_text(encoding="utf-8"))
FUNCTIONS = [(namespace, name) for namespace, names in TABLE.items() for name in names["functions"]]
NAMES = [(namespace, name) for namespace, names in TABLE.items() for name in names["names"]]

FURTHER: Mapping[str, tuple[str, ...]] = {
    "pl.aic_gather": ("split",),
    "pl.aiv_shard": ("split", "lane_stride"),
    "pl.tile.aic_gather": ("split",),
    "pl.tile.aiv_shard": ("split", "lane_stride"),
    "pl.tile.transpose": ("tmp",),
    "pl.tensor.reshape": ("valid_shape",),
    "pl.tensor.transpose": ("valid_shape",),
}
"""Parameters that text needs which is printed between passes."""
WRITTEN_OUT = ("pl.tile.scatter_update", "pl.tensor.scatter_update")
"""Functions with `*args` and `**kwargs` in the table, which name what they take here."""
OTHERS = {
    "AsyncEventType",
    "AsyncSessionType",
    "DataType",
    "DistributedTensor",
    "PrefetchAsyncContextType",
    "distributed",
    "resolve",
}
"""Names of `pl` for annotations, tools and tests that the table does not have."""


def module(namespace: str) -> object:
    """The module of a namespace."""
    root, _, rest = namespace.partition(".")
    found = {"pl": pl, "pld": pld}[root]
    return operator.attrgetter(rest)(found) if rest else found


def own_parameters(namespace: str, name: str) -> tuple[Parameter, ...]:
    """The parameters of a function of ours, those that take any number left out."""
    function = resolve((*namespace.split("."), name)) or getattr(module(namespace), name)
    listed = inspect.signature(function).parameters.values()
    return tuple(
        Parameter(one.name, one.kind is one.KEYWORD_ONLY, one.default is not one.empty)
        for one in listed
        if one.name != "span" and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    )


@pytest.mark.parametrize(("namespace", "name"), FUNCTIONS)
def test_a_function_has_the_parameters_of_the_table(namespace: str, name: str) -> None:
    dotted = f"{namespace}.{name}"
    wanted = parameters(TABLE[namespace]["functions"][name])
    found = own_parameters(namespace, name)
    if dotted in WRITTEN_OUT:
        assert found[: len(wanted)] == wanted
    else:
        assert tuple(one for one in found if one.name not in FURTHER.get(dotted, ())) == wanted


@pytest.mark.parametrize(("namespace", "name"), NAMES)
def test_a_name_of_the_table_is_there(namespace: str, name: str) -> None:
    assert hasattr(module(namespace), name)


def test_nothing_else_is_announced() -> None:
    listed = {*TABLE["pl"]["functions"], *TABLE["pl"]["names"]}
    assert set(pl.__all__) - listed == OTHERS


def test_help_shows_the_parameters() -> None:
    assert str(inspect.signature(pl.at)).startswith("(level, role=None, *, optimizations=None, deps=None")
    assert list(inspect.signature(pl.tile.load).parameters)[:3] == ["tensor", "offsets", "shapes"]
