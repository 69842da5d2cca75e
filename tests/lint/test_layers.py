# SPDX-License-Identifier: Apache-2.0
"""Each room of the house imports only from the floors below it; the contracts stand in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINT = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]

VIOLATION = """
[tool.importlinter]
root_packages = ["house"]

[[tool.importlinter.contracts]]
name = "floors"
type = "layers"
layers = ["house.roof", "house.ground"]
"""


def lint(directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the import linter the way `tox -e lint` does."""
    return subprocess.run(LINT, cwd=directory, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def test_every_contract_is_kept():
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_an_import_from_a_floor_above_is_refused(tmp_path: Path):
    (tmp_path / "house").mkdir()
    (tmp_path / "pyproject.toml").write_text(VIOLATION)
    for name, source in (("__init__", ""), ("roof", ""), ("ground", "import house.roof\n")):
        (tmp_path / "house" / f"{name}.py").write_text(source)
    assert "house.ground is not allowed to import house.roof" in lint(tmp_path).stdout


def test_the_contracts_cover_every_package_that_is_shipped():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    shipped = {Path(path).name for path in settings["hatch"]["build"]["targets"]["wheel"]["packages"]}
    assert set(settings["importlinter"]["root_packages"]) == shipped
