# SPDX-License-Identifier: Apache-2.0
"""A pipeline that is ready to run: every name resolved, every option checked, every place remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pypto_build.errors import Diagnostic, Span
from pypto_build.host import Contribution, PluginHost


@dataclass(frozen=True, slots=True)
class Planned:
    """A pass, target or simulator with its options.

    `instance` is the frozen dataclass that does the work, `name` its own name (`ConvertToSSA`), `use` the name under
    which `contribution` registers it (`convert_to_ssa`). `options` has every option as YAML writes it; `given` says
    where those stand that a file gives.
    """

    id: str
    use: str
    name: str
    instance: object
    options: Mapping[str, object]
    given: Mapping[str, Span]
    contribution: Contribution
    span: Span
    isolate: bool = False
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The meaning of a pipeline's files, for one variant and one set of parameters.

    `assumes` are properties that every source already has. `files` are the absolute paths of all that decides it: YAML
    files, first the one asked for, and local plugins. `digest` is its identity; `object_digest` leaves the simulator
    out, which no object depends on. `spans` has the places of `hardware`, `memory_planner` and `verify`; `warnings` are
    for the user.
    `disabled` and `enabled` name the warnings and hints that are not wanted and those that are wanted besides; neither
    digest knows of them.
    """

    name: str
    variant: str
    hardware: str
    passes: tuple[Planned, ...]
    targets: tuple[Planned, ...]
    simulator: Planned | None
    verify: str
    assumes: tuple[str, ...]
    host: PluginHost
    files: tuple[str, ...]
    spans: Mapping[str, Span]
    digest: str = ""
    object_digest: str = ""
    warnings: tuple[Diagnostic, ...] = ()
    memory_planner: str = "pypto"
    disabled: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name by which it can be asked for, variant included."""
        return f"{self.name}@{self.variant}" if self.variant else self.name
