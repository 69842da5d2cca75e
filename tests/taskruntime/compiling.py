# SPDX-License-Identifier: Apache-2.0
"""Sources compiled to objects, and the orchestrations in an object with all that it takes to run them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pypto_build.driver.archive import read_object
from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest
from pypto_build.driver.simulate import final_program
from pypto_build.passes import hardware_by_name
from tests.taskruntime.kernels import Kernels

DERIVING = Path(__file__).parent / "deriving.yaml"
"""A pipeline whose tasks name all that they wait for."""


@dataclass(frozen=True, slots=True)
class Emitted:
    """What an object holds for one orchestration: its C++, and the kernels that it launches."""

    source: str
    kernels: Kernels


def compiled(source: Path, pipeline: str, arguments: tuple[str, ...] = ()) -> dict[str, Emitted]:
    """The orchestrations of a source by name.

    Raises:
        UserError: the source cannot be compiled.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "compiled.ptobj"
        compile_source(CompileRequest(str(source), str(target), pipeline=pipeline, arguments=arguments))
        return orchestrations(read_object(str(target), code="OBJ001"))


def orchestrations(members: dict[str, bytes]) -> dict[str, Emitted]:
    """The orchestrations in an unpacked object by name."""
    program = final_program(members)
    hardware = hardware_by_name(json.loads(members["manifest.json"])["pipeline"]["hardware"])
    texts = {path: data for path, data in members.items() if path.endswith(".pto")}
    found: dict[str, Emitted] = {}
    for description in _descriptions(members):
        kernels = Kernels(program, texts, description, hardware)
        found[description["name"]] = Emitted(members[description["source"]].decode(), kernels)
    return found


def _descriptions(members: Mapping[str, bytes]) -> list[dict[str, str]]:
    paths = [path for path in members if path.startswith("orchestration/") and path.endswith(".json")]
    return [json.loads(members[path]) for path in sorted(paths)]
