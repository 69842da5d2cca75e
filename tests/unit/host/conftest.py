# SPDX-License-Identifier: Apache-2.0
"""Plugins made of text: local files, and distributions that look installed because they lie on the module path."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from pypto_build.host import HostOptions

HEADER = "from pypto_build.host import hookimpl\n"
NO_BUILT_INS = HostOptions(built_in=())
_serial = itertools.count()

Install = Callable[..., str]


def registering(kind: str, names: dict[str, str]) -> str:
    """The text of a registering hook."""
    return f"@hookimpl\ndef pypto_register_{kind}():\n    return {names!r}\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a local plugin's file."""

    def write_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEADER + text, encoding="utf-8")
        return path

    return write_file


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a distribution with one plugin on the module path; returns the name of its module."""

    def install_plugin(name: str, text: str, *, api: int | None = 1, distribution: str = "", file: bool = True) -> str:
        serial = next(_serial)
        module = f"plugin_module_{serial}"
        site = tmp_path / f"site{serial}"
        info = site / f"{(distribution or name).replace('-', '_')}-2.5.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution or name}\nVersion: 2.5\n")
        (info / "entry_points.txt").write_text(f"[pypto_build]\n{name} = {module}\n")
        version = f"PYPTO_BUILD_API = {api}\n" if api is not None else ""
        if file:
            (site / f"{module}.py").write_text(HEADER + version + text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(site))
        return module

    return install_plugin
