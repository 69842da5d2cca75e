# SPDX-License-Identifier: Apache-2.0
"""`PtoObject` of @pl.jit kernels: objects of one source for different arguments, rebuilt when the arguments change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_compile_jit import KERNEL

from .conftest import PIPELINE, Tree

SCONSTRUCT = """
from pypto_build.scons import generate

DefaultEnvironment(tools=[])
env = Environment(tools=[generate], PTOPIPELINE="base.yaml", PTOENTRY="add", PTOSTORE={store!r})
for size in (16, 32):
    types = [f"{{name}}=f32[{{size}},{{size}}]" for name in ("a", "b", "out")]
    env.PtoObject(f"build/add_{{size}}.ptobj", "add.py", PTOARGS=[*types, "n=2"])
"""
BOTH = ["PTO build/add_16.ptobj", "PTO build/add_32.ptobj"]


@pytest.fixture
def built(tmp_path: Path) -> Tree:
    """Two objects of one source, built."""
    made = Tree(tmp_path / "tree", tmp_path / "store")
    made.write("SConstruct", SCONSTRUCT.format(store=str(made.store)))
    made.write("base.yaml", PIPELINE)
    made.write("add.py", KERNEL)
    first = made.scons()
    assert first.built == BOTH, first.out + first.err
    return made


def test_two_objects_of_one_source_differ(built: Tree) -> None:
    assert built.bytes("build/add_16.ptobj") != built.bytes("build/add_32.ptobj")
    assert built.scons().built == []


def test_other_arguments_rebuild_their_object_only(built: Tree) -> None:
    built.edit("SConstruct", "(16, 32)", "(16, 64)")
    assert built.scons().built == ["PTO build/add_64.ptobj"]
    built.edit("SConstruct", '"n=2"', 'f"n={size}"')
    assert built.scons().built == ["PTO build/add_16.ptobj", "PTO build/add_64.ptobj"]


def test_each_object_has_a_history_of_its_own(built: Tree) -> None:
    built.edit("add.py", "pl.add(", "pl.mul(")
    built.scons()
    for name in ("build/add_16.ptobj", "build/add_32.ptobj"):
        ran = {row["function"] for row in built.explained(name) if row["status"] == "ran"}
        assert "add_tile" in ran


def test_an_object_of_the_store_is_that_of_its_arguments(built: Tree) -> None:
    before = [built.bytes(f"build/add_{size}.ptobj") for size in (16, 32)]
    built.scons("-c")
    assert built.scons().built == BOTH
    assert [built.bytes(f"build/add_{size}.ptobj") for size in (16, 32)] == before


def test_a_wrong_argument_fails_its_object_only(built: Tree) -> None:
    built.edit("SConstruct", '"n=2"', 'f"n={size}" if size == 16 else "m=2"')
    outcome = built.scons("-k")
    assert outcome.status == 2
    assert "error[JIT002]: 'add' has no parameter 'm'" in outcome.err
    assert built.bytes("build/add_16.ptobj")
