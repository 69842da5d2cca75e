# SPDX-License-Identifier: Apache-2.0
"""A pipeline ready to work: passes and targets with the fingerprints of their code, operations, verifiers, simulators.

Made once per pipeline and process; a process that serves several builds makes a new one when a file behind it changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

from pypto_build.errors import UNKNOWN_SPAN, UserError
from pypto_build.host import Contribution, HostOptions, Kind, PluginHost, Simulator, Source, Target
from pypto_build.ops import OpDef, OpRegistry, builtin_registry
from pypto_build.passes import (
    Pass,
    PassContext,
    Selection,
    VerifierRegistry,
    hardware_by_name,
)
from pypto_build.pipeline import Pipeline, Planned, load_pipeline
from pypto_build.pipeline.checking import Checking, CheckStep
from pypto_build.pipeline.diagnostics import check_known, check_names, loaded_check
from pypto_build.pipeline.emit import TargetStep
from pypto_build.pipeline.model import Text
from pypto_build.pipeline.outcome import ResultCache
from pypto_build.pipeline.problems import Problems
from pypto_build.pipeline.resolve import load_class
from pypto_build.pipeline.step import Step
from pypto_build.pipeline.verifiers import verifier_registry
from pypto_build.store.fingerprint import Fingerprinter

Defines = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Toolchain:
    """A pipeline with everything that it names, loaded on first use."""

    pipeline: Pipeline
    fingerprints: Fingerprinter | None

    @property
    def host(self) -> PluginHost:
        """Who provides what."""
        return self.pipeline.host

    @cached_property
    def files(self) -> tuple[str, ...]:
        """What decides a result besides the source: YAML files, local plugins, the installed plugins that take part."""
        files = dict.fromkeys(self.pipeline.files)
        for planned in (*self.pipeline.passes, *self.pipeline.targets):
            plugin = self.host.plugin(planned.contribution.provider).candidate
            if self.fingerprints is not None and plugin.source is Source.INSTALLED and plugin.distribution:
                files.update(dict.fromkeys(self.fingerprints.distribution(plugin.distribution).files))
        return tuple(files)

    @cached_property
    def ops(self) -> OpRegistry:
        """The operations, those of plugins included."""
        registry = builtin_registry()
        names = self.host.names_in_use(Kind.OP)
        extra = [cast(OpDef, self.host.load(self.host.find(Kind.OP, name))) for name in names]
        return registry.extended(extra) if extra else registry

    @cached_property
    def verifiers(self) -> VerifierRegistry:
        """The verifiers by property; each is loaded when it is first needed."""
        return verifier_registry(self.host)

    @cached_property
    def checks(self) -> tuple[CheckStep, ...]:
        """The checks that plugins register beside verifiers, whether they shall look or not."""
        found = (self.host.find(Kind.VERIFIER, name) for name in check_names(self.host))
        return tuple(CheckStep(loaded_check(self.host, one), self._fingerprint(one), one) for one in found)

    def selection(self, disable: Iterable[str], enable: Iterable[str]) -> Selection:
        """Which diagnostics are wanted: what the pipeline says, and what a request says after it.

        Raises:
            UserError: there is no such diagnostic.
        """
        problems = Problems()
        off, on = ([Text(name, UNKNOWN_SPAN) for name in names] for names in (disable, enable))
        check_known(self.host, problems, disable=off, enable=on)
        problems.raise_all()
        return Selection(self.pipeline.disabled, self.pipeline.enabled).then(disable, enable)

    def checking(self, context: PassContext, selection: Selection, *, cache: ResultCache | None) -> Checking:
        """The checks that shall look at one source."""
        return Checking(tuple(step for step in self.checks if selection.wants(step.check)), context, cache=cache)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The passes in order."""
        return tuple(
            Step(p.id, cast(Pass, p.instance), self._fingerprint(p.contribution), p.options)
            for p in self.pipeline.passes
        )

    @cached_property
    def target_steps(self) -> tuple[TargetStep, ...]:
        """The targets in order."""
        return tuple(
            TargetStep(t.id, cast(Target, t.instance), self._fingerprint(t.contribution), t.options)
            for t in self.pipeline.targets
        )

    def context(self) -> PassContext:
        """A fresh pass context for one source."""
        hardware = hardware_by_name(self.pipeline.hardware)
        return PassContext(hardware_description=hardware, planner=self.pipeline.memory_planner, ops=self.ops)

    def simulator(self, name: str = "") -> tuple[Simulator, Contribution]:
        """The pipeline's simulator, or the one of this name with default options, and whose it is."""
        planned = self.pipeline.simulator
        if planned is not None and name in ("", planned.use):
            return cast(Simulator, planned.instance), planned.contribution
        if not name:
            raise UserError("SIM003", f"pipeline {self.pipeline.title} names no simulator")
        contribution = self.host.find(Kind.SIMULATOR, name)
        cls, _ = load_class(self.host, contribution, span=UNKNOWN_SPAN)
        return cast(Callable[[], Simulator], cls)(), contribution

    @property
    def simulator_name(self) -> str:
        """What the pipeline's simulator is called; empty when it has none."""
        return self.pipeline.simulator.use if self.pipeline.simulator is not None else ""

    def planned(self, step_id: str) -> Planned:
        """The plan's entry of a step."""
        return next(p for p in (*self.pipeline.passes, *self.pipeline.targets) if p.id == step_id)

    def _fingerprint(self, contribution: Contribution) -> str:
        """What the code behind a contribution is; the operations that plugins add count for every pass."""
        return "+".join([self._code(contribution), *self._op_code])

    @cached_property
    def _op_code(self) -> tuple[str, ...]:
        names = self.host.names_in_use(Kind.OP)
        return tuple(sorted({self._code(self.host.find(Kind.OP, name)) for name in names}))

    def _code(self, contribution: Contribution) -> str:
        if self.fingerprints is None:
            return ""
        plugin = self.host.plugin(contribution.provider).candidate
        if plugin.source is Source.LOCAL:
            path = Path(plugin.location)
            made = self.fingerprints.tree(path) if path.is_dir() else self.fingerprints.file(path)
            return made.digest
        if plugin.source is Source.INSTALLED and plugin.distribution:
            return self.fingerprints.distribution(plugin.distribution).digest
        return self.fingerprints.module(contribution.reference.partition(":")[0]).digest


_Stamp = tuple[str, int, int, int]
"""A file, the times of its last modification and change (which nobody can set back) in ns, its size in bytes."""


@dataclass(frozen=True, slots=True)
class _Remembered:
    stamp: tuple[_Stamp, ...]
    toolchain: Toolchain


_toolchains: dict[tuple[str, str, Defines, HostOptions, bool, bool], _Remembered] = {}
_ANY_PLUGINS = HostOptions()


def toolchain(
    spec: str,
    defines: Defines = (),
    *,
    host: HostOptions = _ANY_PLUGINS,
    fingerprints: Fingerprinter | None = None,
    allow_unordered: bool = False,
) -> Toolchain:
    """The toolchain of a pipeline; the same object as last time while its files are as they were."""
    here = os.getcwd()  # a spec may be a path relative to it
    key = (here, spec, defines, host, fingerprints is not None, allow_unordered)
    known = _toolchains.get(key)
    if known is not None and known.stamp == _stamp(known.toolchain.pipeline.files):
        return known.toolchain
    made = Toolchain(load_pipeline(spec, host, defines=dict(defines), allow_unordered=allow_unordered), fingerprints)
    _toolchains[key] = _Remembered(_stamp(made.pipeline.files), made)
    return made


def _stamp(files: Iterable[str]) -> tuple[_Stamp, ...]:
    result: list[_Stamp] = []
    for file in files:
        try:
            status = os.stat(file)
        except OSError:
            result.append((file, -1, -1, -1))
        else:
            result.append((file, status.st_mtime_ns, status.st_ctime_ns, status.st_size))
    return tuple(result)
