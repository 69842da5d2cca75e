# SPDX-License-Identifier: Apache-2.0
"""Assembling the kernels of an object with an external program: `ptoas`, or one that is called like it.

The program sees one file at a time, by a name without a directory, so that what it writes depends on no path. What it
complains about is shown at the author's line, which the source map beside the object knows.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pypto_build.driver.archive import pack, read_object
from pypto_build.driver.publish import write_if_changed
from pypto_build.driver.request import map_beside
from pypto_build.errors import UserError

_KERNEL = re.compile(r"kernels/(?P<name>[^/]+)\.pto")


@dataclass(frozen=True, slots=True)
class Assembler:
    """How the program is called, without the names of files, and how many seconds it may take for one kernel."""

    command: tuple[str, ...]
    flags: tuple[str, ...] = ()
    timeout: float = 600.0


def assemble_object(path: str, output: str, assembler: Assembler) -> None:
    """Write an archive with `kernels/<name>.cpp` for each kernel of an object.

    Raises:
        UserError: the object cannot be read, or the program is not there, fails, hangs or writes nothing.
    """
    members = read_object(path, code="ASM001")
    kernels = {match["name"]: name for name in sorted(members) if (match := _KERNEL.fullmatch(name))}
    made: dict[str, bytes] = {}
    for name, member in kernels.items():
        places = _places(path, member)
        made[f"kernels/{name}.cpp"] = _assembled(name, members[member], assembler, places=places)
    write_if_changed(output, pack(made))


def _assembled(name: str, text: bytes, assembler: Assembler, *, places: Mapping[int, str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="pypto-assemble-") as scratch:
        Path(scratch, f"{name}.pto").write_bytes(text)
        command = (*assembler.command, f"{name}.pto", "-o", f"{name}.cpp", *assembler.flags)
        done = _run(command, scratch, timeout=assembler.timeout)
        try:
            result = Path(scratch, f"{name}.cpp").read_bytes()
        except OSError:
            result = b""
    said = _at_the_source(f"{done.stdout}{done.stderr}".strip(), f"{name}.pto", places)
    if done.returncode:
        raise UserError("ASM002", f"{command[0]} failed on kernel {name} with status {done.returncode}:\n{said}")
    if not result:
        raise UserError("ASM003", f"{command[0]} wrote nothing for kernel {name}\n{said}".rstrip())
    return result


def _run(command: tuple[str, ...], directory: str, *, timeout: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=directory,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise UserError("ASM004", f"{command[0]} did not end within {timeout:g} s on {command[-1]}") from None
    except OSError as error:
        help = "install ptoas, or set PTOAS to the program"
        raise UserError("ASM005", f"cannot run {command[0]}: {error.strerror}", help=help) from error


def _places(path: str, member: str) -> dict[int, str]:
    """For lines of a member the place in the source, `file:line:column`; empty without a source map."""
    try:
        table = json.loads(Path(map_beside(path)).read_text(encoding="utf-8"))
        files, rows = table["sources"], table["lines"][member]
    except (OSError, ValueError, KeyError):
        return {}
    return {row[0]: f"{os.path.basename(files[row[1]])}:{row[2]}:{row[3]}" for row in rows}


def _at_the_source(said: str, file: str, places: Mapping[int, str]) -> str:
    """What the program said, with the places in its input replaced by those of the lines that they come from."""
    known = sorted(places)

    def place(match: re.Match[str]) -> str:
        index = bisect_right(known, int(match["line"]))
        return places[known[index - 1]] if index else match[0]

    return re.sub(rf"(?:\./)?{re.escape(file)}:(?P<line>\d+)(?::\d+)?", place, said)
