# SPDX-License-Identifier: Apache-2.0
"""Generated orchestration sources, as they stand, made into functions by the C++ compiler.

Any warning is an error. Many sources go into one shared object, each in a namespace of its own, because most of the
time of a compilation is not the sources; the header is compiled once per process.
"""

from __future__ import annotations

import atexit
import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from tests.taskruntime.interface import Orchestration

HEADERS = Path(__file__).parent / "include"
_HEADER = "pto_orchestration_api.h"
_FLAGS = ("-std=c++17", "-O0", "-fPIC", "-Wall", "-Werror")
_DOOR = """
extern "C" const char* run_orchestration(Orchestration entry, const HostApi* host, const ChipTaskArgs* args) {
    return run(entry, host, args);
}
"""
_built: dict[str, Orchestration] = {}


def built(sources: Sequence[str]) -> list[Orchestration]:
    """The entry functions of sources; what has been built in this process is not built again."""
    fresh = [source for source in dict.fromkeys(sources) if source not in _built]
    if fresh:
        _built.update(zip(fresh, _linked(fresh), strict=True))
    return [_built[source] for source in sources]


def check_syntax(source: str) -> None:
    """See that the compiler accepts a source, which takes less time than building it.

    It may describe windows that nobody reads.
    """
    _compile(["-fsyntax-only", "-Wno-unused-but-set-variable", "-x", "c++", "-"], source)


def _linked(sources: Iterable[str]) -> list[Orchestration]:
    folder = Path(tempfile.mkdtemp(dir=_workshop()))
    parts: list[str] = []
    for number, source in enumerate(sources):
        (folder / f"{number}.cpp").write_text(source, encoding="utf-8")
        names = [f"#define aicpu_orchestration_{name} {name}_{number}" for name in ("config", "entry")]
        undone = [f"#undef aicpu_orchestration_{name}" for name in ("config", "entry")]
        inside = (f"namespace unit_{number} {{", f'#include "{number}.cpp"', "}")
        parts += [*names, *inside, *undone]
    (folder / "orchestrations.cpp").write_text("\n".join([*parts, _DOOR]), encoding="utf-8")
    made = folder / "orchestrations.so"
    _compile(["-shared", str(folder / "orchestrations.cpp"), "-o", str(made)], "")
    binary = ctypes.CDLL(str(made))
    return [Orchestration(binary, f"entry_{number}") for number, _ in enumerate(sources)]


def _compile(arguments: list[str], source: str) -> None:
    command = ["g++", *_FLAGS, f"-I{_workshop()}", "-include", _HEADER, *arguments]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    assert done.returncode == 0, "\n".join([*(errors or [done.stderr]), source])


@cache
def _workshop() -> Path:
    """A directory for this process, with the header in compiled form."""
    folder = Path(tempfile.mkdtemp(prefix="pypto-build-orchestrations-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for header in HEADERS.iterdir():
        shutil.copy(header, folder)
    header = folder / _HEADER
    subprocess.run(["g++", *_FLAGS, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return folder
