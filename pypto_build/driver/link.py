# SPDX-License-Identifier: Apache-2.0
"""Linking: the members of objects laid out as the runtime expects them.

One object gives the directory itself, several give `next_levels/<program>/` each. The orchestration target describes a
program in `orchestration/<name>.json`: its parameters, and its kernels with their ids, core types and signatures.
Source of the layout: the public build directory of the runtime.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from pypto_build.driver.archive import read_manifest, read_object
from pypto_build.driver.publish import write_if_changed
from pypto_build.errors import UserError

CORE_DIRECTORIES = {"aiv": "kernels/aiv", "aic": "kernels/aic", "mixed": "kernels"}


def link_objects(objects: Sequence[str], directory: str) -> None:
    """Write the program of some objects below a directory.

    Raises:
        UserError: an object cannot be read, has no orchestration, or two are of one program.
    """
    loaded = [read_object(path, code="LINK001") for path in objects]
    names = [read_manifest(members)["program"] for members in loaded]
    for name in names:
        if names.count(name) > 1:
            raise UserError("LINK002", f"two objects are of the program {name!r}")
    for name, members in zip(names, loaded, strict=True):
        place = directory if len(loaded) == 1 else os.path.join(directory, "next_levels", name)
        for path, content in sorted(_layout(name, members).items()):
            write_if_changed(os.path.join(place, path), content)
    if len(loaded) > 1:
        write_if_changed(os.path.join(directory, "kernel_config.py"), _index(names))


def _layout(name: str, members: Mapping[str, bytes]) -> dict[str, bytes]:
    described = [path for path in members if path.startswith("orchestration/") and path.endswith(".json")]
    if len(described) != 1:
        raise UserError("LINK003", f"object of {name!r} has {len(described)} orchestration functions, one is needed")
    program: dict[str, Any] = json.loads(members[described[0]])
    files = {program["source"]: members[program["source"]]}
    kernels: list[dict[str, Any]] = []
    for kernel in program["kernels"]:
        source = kernel["source"]
        place = f"{CORE_DIRECTORIES[kernel['core_type']]}/{os.path.basename(source)}"
        files[place] = members[source]
        kernels.append({**kernel, "source": place})
    files["kernel_config.py"] = _configuration({**program, "kernels": kernels})
    meta = {"schema": 1, "params": program["params"], "num_return_types": program["returns"]}
    files["compiled_meta.json"] = (json.dumps(meta, indent=1, sort_keys=True) + "\n").encode()
    return files


def _configuration(program: Mapping[str, Any]) -> bytes:
    orchestration = {
        "source": program["source"],
        "function_name": "aicpu_orchestration_entry",
        "signature": program["signature"],
    }
    text = (
        '"""The kernels of a program and the orchestration that launches them."""\n\n'
        f"RUNTIME_CONFIG = {pformat({'runtime': program['runtime'], 'aicpu_thread_num': 0}, width=110)}\n\n"
        f"ORCHESTRATION = {pformat(orchestration, width=110)}\n\n"
        f"KERNELS = {pformat(program['kernels'], width=110)}\n"
    )
    return text.encode()


def _index(names: Sequence[str]) -> bytes:
    levels = {name: f"next_levels/{name}/kernel_config.py" for name in sorted(names)}
    return f'"""The programs of this directory."""\n\nPROGRAMS = {pformat(levels, width=110)}\n'.encode()
