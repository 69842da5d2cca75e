# SPDX-License-Identifier: Apache-2.0
"""The plugin host: what a plugin implements, and who provides which name."""

from pypto_build.host.attribution import attributed
from pypto_build.host.contracts import (
    Command,
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
