# SPDX-License-Identifier: Apache-2.0
"""Where plugins come from: the built-in list, local paths, and entry points scanned only on demand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pypto_build.errors import UNKNOWN_SPAN, Span, UserError
from pypto_build.host.entry_points import entry_points
from pypto_build.host.plugin import Candidate, Source
from pypto_build.host.suggest import did_you_mean

ENTRY_POINT_GROUP = "pypto_build"

# Our own plugins load through the same door as anybody's; only finding them needs no look at what is installed.
BUILT_IN = (
    ("pypto_passes", "pypto_passes.plugin"),
    ("pypto_targets", "pypto_targets.plugin"),
    ("pypto_simulators", "pypto_simulators.plugin"),
    ("pypto_commands", "pypto_build.cli.plugin"),
)


@dataclass(frozen=True, slots=True)
class HostOptions:
    """What the command line and the environment say about plugins; read there, passed here, sent to workers.

    `enable` and `block` come from `-p NAME` and `-p no:NAME`, `allow` and `autoload` from `PYPTO_BUILD_PLUGINS` and
    `PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD`. `allow` lists the installed plugins that may be used at all; None means any.
    """

    enable: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    allow: tuple[str, ...] | None = None
    autoload: bool = True
    built_in: tuple[tuple[str, str], ...] = BUILT_IN


@dataclass(frozen=True, slots=True)
class PluginRequest:
    """Somebody asks for a plugin: an installed plugin's name, or a path, and the place that asks."""

    plugin: str
    span: Span = UNKNOWN_SPAN
    directory: str = "."


def is_path(plugin: str) -> bool:
    """Whether a request names a file or directory rather than an installed plugin."""
    return plugin.endswith(".py") or "/" in plugin or plugin.startswith(".")


def local_path(request: PluginRequest) -> Path:
    """The absolute path of what a request names relative to the directory of the file that asks."""
    return Path(os.path.abspath(os.path.join(request.directory, request.plugin)))


def local_candidate(request: PluginRequest) -> Candidate:
    """A plugin that is a file or package of the project; its name is the file's stem."""
    path = local_path(request)
    if not path.exists():
        near = did_you_mean(path.name, [one.name for one in path.parent.glob("*.py")])
        raise UserError("HOST001", f"there is no plugin file `{request.plugin}`", request.span, help=near)
    if path.is_dir() and not (path / "__init__.py").exists():
        raise UserError(
            "HOST001",
            f"directory `{request.plugin}` is not a plugin",
            request.span,
            help="a local plugin is a Python file or a package with an `__init__.py`",
        )
    return Candidate(path.stem, Source.LOCAL, str(path), span=request.span)


def built_in_candidates(options: HostOptions) -> tuple[Candidate, ...]:
    """The plugins of this distribution."""
    return tuple(Candidate(name, Source.BUILT_IN, module) for name, module in options.built_in)


def installed_candidates() -> tuple[Candidate, ...]:
    """Every installed plugin, from the metadata of distributions alone: nothing of a plugin is read."""
    found = [
        Candidate(
            point.name,
            Source.INSTALLED,
            point.value,
            distribution=point.distribution,
            version=point.version,
            requested=False,
        )
        for point in entry_points(ENTRY_POINT_GROUP)
    ]
    return tuple(sorted(found, key=lambda one: (one.name, one.distribution)))
