# SPDX-License-Identifier: Apache-2.0
"""What `pypto.backend.pto_backend` tells of kernels: which share a module, and how they are called."""

from __future__ import annotations

import pytest

from pypto_build.compat.pto_backend import build_group_mapping, emit_source_loc_default
from tests.passes import programs

KERNELS = """
@pl.function(type=pl.FunctionType.AIC)
def cube(self):
    pl.system.bar_all()

@pl.function(type=pl.FunctionType.AIV)
def vector(self):
    pl.system.bar_all()

@pl.function(type=pl.FunctionType.AIV)
def alone(self):
    pl.system.bar_all()

@pl.function(type=pl.FunctionType.Group)
def both(self):
    self.cube()
    self.vector()
"""


def test_the_kernels_of_a_group_share_a_module_and_the_others_have_their_own() -> None:
    groups, alone = build_group_mapping(programs.program(KERNELS))
    assert {name: [kernel.name for kernel in members] for name, members in groups.items()} == {
        "both": ["cube", "vector"]
    }
    assert [kernel.name for kernel in alone] == ["alone"]


@pytest.mark.parametrize(("value", "wanted"), [(None, True), ("1", True), ("0", False), ("Off", False)])
def test_the_environment_may_forbid_source_places(
    monkeypatch: pytest.MonkeyPatch, value: str | None, wanted: bool
) -> None:
    monkeypatch.delenv("PYPTO_EMIT_PTO_LOC", raising=False)
    if value is not None:
        monkeypatch.setenv("PYPTO_EMIT_PTO_LOC", value)
    assert emit_source_loc_default() is wanted
