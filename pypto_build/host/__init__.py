# SPDX-License-Identifier: Apache-2.0
"""The plugin host: what a plugin implements, and who provides which name.

A name is imported when it is first asked for: a run that only looks names up needs neither the contracts nor the
events, whose dataclasses take 11 of the 30 ms that everything here takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypto_build.host.attribution import attributed
    from pypto_build.host.command import Command
    from pypto_build.host.contracts import (
        FunctionOutline,
        LocationMode,
        Member,
        SimulationRequest,
        SimulationResult,
        Simulator,
        Target,
        TargetContext,
        Unit,
    )
    from pypto_build.host.discovery import HostOptions, PluginRequest
    from pypto_build.host.events import (
        CacheHit,
        CacheMiss,
        Event,
        PassFinished,
        PassStarted,
        PipelineFinished,
        PipelineStarted,
        Report,
    )
    from pypto_build.host.hookspecs import API_VERSION, hookimpl
    from pypto_build.host.manager import PluginHost
    from pypto_build.host.plugin import Plugin, Source, State
    from pypto_build.host.registry import Contribution, Kind, Registry

__all__ = [
    "API_VERSION",
    "CacheHit",
    "CacheMiss",
    "Command",
    "Contribution",
    "Event",
    "FunctionOutline",
    "HostOptions",
    "Kind",
    "LocationMode",
    "Member",
    "PassFinished",
    "PassStarted",
    "PipelineFinished",
    "PipelineStarted",
    "Plugin",
    "PluginHost",
    "PluginRequest",
    "Registry",
    "Report",
    "SimulationRequest",
    "SimulationResult",
    "Simulator",
    "Source",
    "State",
    "Target",
    "TargetContext",
    "Unit",
    "attributed",
    "hookimpl",
]

_HOMES = {
    "attribution": ("attributed",),
    "command": ("Command",),
    "contracts": (
        "FunctionOutline",
        "LocationMode",
        "Member",
        "SimulationRequest",
        "SimulationResult",
        "Simulator",
        "Target",
        "TargetContext",
        "Unit",
    ),
    "discovery": ("HostOptions", "PluginRequest"),
    "events": (
        "CacheHit",
        "CacheMiss",
        "Event",
        "PassFinished",
        "PassStarted",
        "PipelineFinished",
        "PipelineStarted",
        "Report",
    ),
    "hookspecs": ("API_VERSION", "hookimpl"),
    "manager": ("PluginHost",),
    "plugin": ("Plugin", "Source", "State"),
    "registry": ("Contribution", "Kind", "Registry"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
