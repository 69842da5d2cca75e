# SPDX-License-Identifier: Apache-2.0
"""A plugin of tox: one environment for each pipeline of a project, and for each of its variants.

`configs/*.yaml` and `pipelines/*.yaml` beside `tox.ini` become `py311-<pipeline>` and `py311-<pipeline>-<variant>`, all
with the label `pipelines`. Their commands are those of the environment `pipeline`, which finds the pipeline in
PYPTO_BUILD_PIPELINE; a project that says none gets its tests run, with PyPTO Build installed. They share one store, so
that a pipeline reuses what another one did before it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml
from tox.config.loader.memory import MemoryLoader
from tox.config.types import Command
from tox.plugin import impl
from tox.tox_env.python.pip.req_file import PythonDeps

import pypto_build

if TYPE_CHECKING:
    from tox.config.sets import CoreConfigSet, EnvConfigSet
    from tox.session.state import State

PIPELINE = "PYPTO_BUILD_PIPELINE"
_PLACES = ("configs/*.yaml", "pipelines/*.yaml")
_BASE = ["pipeline", "testenv", "env_run_base"]  # the last two are what tox.ini and tox.toml call it


@impl
def tox_extend_envs() -> Iterable[str]:
    """The names of the environments; tox asks before it reads its configuration, so it must run beside `tox.ini`."""
    return list(environments(Path.cwd()))


@impl
def tox_add_core_config(core_conf: CoreConfigSet, state: State) -> None:
    """What each environment is told."""
    root, work = (cast(Path, core_conf[name]) for name in ("tox_root", "work_dir"))
    for name, spec in environments(root).items():
        told = {PIPELINE: spec, "PYPTO_BUILD_STORE": str(work / "pypto-build-store")}
        loader = MemoryLoader(description=f"the pipeline {spec}", base=_BASE, labels=["pipelines"], set_env=told)
        state.conf.memory_seed_loaders[name].append(loader)


@impl
def tox_add_env_config(env_conf: EnvConfigSet, state: State) -> None:
    """What an environment does of which the project says nothing."""
    root = cast(Path, state.conf.core["tox_root"])
    said = {key for loader in env_conf.loaders for key in loader.found_keys()}
    if env_conf.name not in environments(root) or "commands" in said:
        return
    deps = PythonDeps(f"pypto-build=={pypto_build.__version__}\npytest", root=root)
    tests = Command(["pytest", *(state.conf.pos_args(None) or ())])
    env_conf.loaders.append(MemoryLoader(deps=deps, commands=[tests]))  # the last one: whatever else is said counts


def environments(root: Path) -> dict[str, str]:
    """Name and pipeline (`FILE` or `FILE@variant`) of every environment of a project."""
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    found: dict[str, str] = {}
    for file in sorted(one for place in _PLACES for one in root.glob(place)):
        relative = file.relative_to(root).as_posix()
        found[f"{python}-{file.stem}"] = relative
        found.update({f"{python}-{file.stem}-{name}": f"{relative}@{name}" for name in _variants(file)})
    return found


def _variants(file: Path) -> Iterator[str]:
    """The variants that a file names; none when it cannot be read, which its own environment will say better."""
    try:
        content = cast(object, yaml.safe_load(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, yaml.YAMLError):
        return
    variants = cast("dict[str, object]", content).get("variants") if isinstance(content, dict) else None
    if isinstance(variants, dict):
        yield from sorted(cast("dict[str, object]", variants))
