# SPDX-License-Identifier: Apache-2.0
"""The enums and defaults of a public pass context."""

from __future__ import annotations

import os
from enum import Enum
from typing import TypeVar

from pypto_build.compat.pass_properties import EnumSet


class VerificationMode(Enum):
    """When an instrument verifies."""

    NONE = 0
    BEFORE = 1
    AFTER = 2
    BEFORE_AND_AFTER = 3


class VerificationLevel(Enum):
    """How much a pipeline verifies by itself."""

    NONE = 0
    BASIC = 1
    ROUNDTRIP = 2


class MemoryPlanner(Enum):
    """Who assigns addresses."""

    PYPTO = 0
    PTOAS = 1
    DSA_RP = 2


class RuntimeKind(Enum):
    """The task runtime that is compiled for."""

    TENSORMAP_AND_RINGBUFFER = 0
    HOST_BUILD_GRAPH = 1


class DiagnosticPhase(Enum):
    """When warnings and hints are looked for."""

    NONE = 0
    PRE_PIPELINE = 1
    POST_PASS = 2
    POST_PIPELINE = 3


class DiagnosticCheck(Enum):
    """What is warned or hinted about."""

    UnusedVariable = 0
    UnusedControlFlowResult = 1
    TileInnermostDimGranularity = 2
    OutParamWriteDropped = 3


class DiagnosticSeverity(Enum):
    """How much a diagnostic matters."""

    Error = 0
    Warning = 1
    PerfHint = 2


class DiagnosticCheckSet(EnumSet[DiagnosticCheck]):
    """A set of checks."""


def runtime_kind_to_name(kind: RuntimeKind) -> str:
    """The name of a runtime in generated files."""
    return kind.name.lower()


def runtime_kind_from_name(name: str) -> RuntimeKind:
    """The runtime of this name; ValueError for an unknown one."""
    try:
        return RuntimeKind[name.upper()] if name == name.lower() else RuntimeKind[name]
    except KeyError:
        known = ", ".join(kind.name.lower() for kind in RuntimeKind)
        raise ValueError(f"unknown runtime {name!r}, use one of {known}") from None


_E = TypeVar("_E", bound=Enum)


def _from_environment(variable: str, enum: type[_E], default: _E) -> _E:
    chosen = os.environ.get(variable, "").upper()
    return enum.__members__.get(chosen, default)


def get_default_verification_level() -> VerificationLevel:
    """The level outside any context: PYPTO_VERIFY_LEVEL, else BASIC."""
    return _from_environment("PYPTO_VERIFY_LEVEL", VerificationLevel, VerificationLevel.BASIC)


def get_default_diagnostic_phase() -> DiagnosticPhase:
    """The phase outside any context: PYPTO_WARNING_LEVEL, else PRE_PIPELINE."""
    return DiagnosticPhase(
        _from_environment("PYPTO_WARNING_LEVEL", DiagnosticPhase, DiagnosticPhase.PRE_PIPELINE).value
    )
