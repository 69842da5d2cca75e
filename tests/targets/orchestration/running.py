# SPDX-License-Identifier: Apache-2.0
"""Generated sources run with a runtime that prints the launches: scalar parameters are 3."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pypto_build.ir import Program
from tests.targets.orchestration.generating import members

HEADER = Path(__file__).parent / "recording"


def launches(made: Program, folder: Path, *, modes: bool = False) -> list[str]:
    """The launches of a finished program, each as `kernel: tensors <- launches that it waits for`."""
    text = members(made)["orchestration/main.cpp"].data.decode()
    (folder / "main.cpp").write_text(f"{text}\nint main() {{ return run(); }}\n")
    binary = folder / "main"
    defined = ["-DRECORD_MODES"] if modes else []
    command = ["g++", "-std=c++17", *defined, f"-I{HEADER}", folder / "main.cpp", "-o", binary]
    subprocess.run(command, check=True)
    return subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines()
