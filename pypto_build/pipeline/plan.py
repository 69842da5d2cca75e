# SPDX-License-Identifier: Apache-2.0
"""A pipeline's name or file to a pipeline that is ready to run; everything that is wrong with it is said at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pypto_build.errors import Diagnostic, Span, UserError
from pypto_build.host import HostOptions, Kind, PluginHost, PluginRequest, Source
from pypto_build.host.local import source_files
from pypto_build.host.suggest import did_you_mean
from pypto_build.pipeline.canonical import digest
from pypto_build.pipeline.config import NO_DEFINES, load_config
from pypto_build.pipeline.model import Config, Text
from pypto_build.pipeline.order import check_order, established_by, property_names
from pypto_build.pipeline.planned import Pipeline
from pypto_build.pipeline.problems import Problems
from pypto_build.pipeline.resolve import Resolver

DEFAULT_HOST_OPTIONS = HostOptions()
DEFAULT_VERIFY = "basic"


def load_pipeline(
    spec: str = "default",
    options: HostOptions = DEFAULT_HOST_OPTIONS,
    *,
    defines: Mapping[str, str] = NO_DEFINES,
    allow_unordered: bool = False,
) -> Pipeline:
    """Load the pipeline that `spec` names: a shipped one, a file, `...@variant`, or one line of YAML in braces.

    `defines` are the `-D name=value` of the command line. With `allow_unordered` broken order rules are warnings.
    """
    problems = Problems()
    config = load_config(spec, problems, defines=defines)
    if config is None:
        problems.raise_all()
        raise AssertionError(f"pipeline {spec!r} was not loaded, and nothing says why")
    pipeline = _plan(config, options, problems=problems, allow_unordered=allow_unordered)
    problems.raise_all()
    return replace(pipeline, digest=digest(pipeline), object_digest=digest(pipeline, simulator=False))


def load_host(spec: str, options: HostOptions = DEFAULT_HOST_OPTIONS) -> PluginHost:
    """The plugins that a pipeline would run with; what is wrong with one of them is the host's to say."""
    problems = Problems()
    config = load_config(spec, problems)
    problems.raise_all()
    return _host(config, options, problems=problems) if config is not None else PluginHost(options)


def _plan(config: Config, options: HostOptions, *, problems: Problems, allow_unordered: bool) -> Pipeline:
    host = _host(config, options, problems=problems)
    resolver = Resolver(host, problems, lost_plugins=config.lost_plugins or bool(host.problems))
    _check_complete(config, problems)
    passes = resolver.resolve_all(Kind.PASS, config.passes)
    targets = resolver.resolve_all(Kind.TARGET, config.targets)
    simulator = resolver.resolve(Kind.SIMULATOR, config.simulator) if config.simulator is not None else None
    hardware, planner, verify = _facts(config, problems)
    said = (("hardware", config.hardware), ("memory_planner", config.memory_planner), ("verify", config.verify))
    pipeline = Pipeline(
        name=config.name,
        variant=config.variant,
        hardware=hardware,
        memory_planner=planner,
        passes=passes,
        targets=targets,
        simulator=simulator,
        verify=verify,
        assumes=_assumed(config, problems),
        disabled=tuple(text.value for text in config.disable),
        enabled=tuple(text.value for text in config.enable),
        host=host,
        files=(*map(os.path.abspath, config.files), *_plugin_files(host)),
        spans={name: text.span for name, text in said if text is not None},
        warnings=host.warnings,
    )
    _check_diagnostics(config, host, problems=problems)
    if problems:  # an order that is only half known would be reported wrongly
        return pipeline
    broken = _order_problems(pipeline)
    if not allow_unordered:
        problems.extend(broken)
        return pipeline
    unordered = (Diagnostic("warning", "order", one.message, one.span, code=one.code, help=one.help) for one in broken)
    return replace(pipeline, warnings=(*pipeline.warnings, *unordered))


def _host(config: Config, options: HostOptions, *, problems: Problems) -> PluginHost:
    requests = tuple(PluginRequest(plugin.value, plugin.span, directory) for plugin, directory in config.plugins)
    replacements = {name: plugin.value for name, plugin in config.replace.items()}
    host = PluginHost(options, requests, replacements=replacements)
    problems.extend(host.problems)
    for name, plugin in config.replace.items():
        if not _provides(host, name, provider=plugin.value):
            problems.add(_wrong_replacement(host, name, plugin=plugin))
    return host


def _provides(host: PluginHost, name: str, *, provider: str) -> bool:
    if any(one.name == name and one.provider == provider for one in host.registry):
        return True
    if not host.options.autoload:
        return False
    host.survey()
    return any(one.name == name and one.provider == provider for one in host.registry)


def _wrong_replacement(host: PluginHost, name: str, *, plugin: Text) -> UserError:
    plugins = {one.name for one in host.plugins()}
    if plugin.value not in plugins:
        near = did_you_mean(plugin.value, plugins)
        return UserError("PIPE016", f"there is no plugin `{plugin.value}`", plugin.span, help=near)
    names = sorted(one.name for one in host.registry if one.provider == plugin.value)
    near = did_you_mean(name, names) or "it provides " + (", ".join(f"`{one}`" for one in names) or "nothing")
    return UserError("PIPE016", f"plugin `{plugin.value}` does not provide `{name}`", plugin.span, help=near)


def _check_complete(config: Config, problems: Problems) -> None:
    if not config.complete:
        return
    if not config.passes:
        help = "list them, or start from another pipeline with `extends: default`"
        problems.add(UserError("PIPE003", "the pipeline has no passes", config.span, help=help))
    if config.hardware is None:
        help = "say which chip to compile for, such as `hardware: ascend910b`"
        problems.add(UserError("PIPE003", "`hardware` is missing", config.span, help=help))


def _facts(config: Config, problems: Problems) -> tuple[str, str, str]:
    """The hardware, the memory planner and the verification level, all known ones."""
    from pypto_build.passes.context import PLANNERS
    from pypto_build.passes.hardware import HARDWARE  # with the IR behind it, which naming a pipeline does not need
    from pypto_build.passes.verifier import LEVELS

    known = (
        ("hardware", config.hardware, tuple(HARDWARE)),
        ("memory planner", config.memory_planner, PLANNERS),
        ("verification level", config.verify, tuple(LEVELS)),
    )
    for title, text, names in known:
        if text is not None and text.value not in names:
            help = did_you_mean(text.value, names) or "known: " + ", ".join(f"`{one}`" for one in names)
            problems.add(UserError("PIPE017", f"there is no {title} `{text.value}`", text.span, help=help))
    defaults = ("", PLANNERS[0], DEFAULT_VERIFY)
    said = (text.value if text is not None else default for (_, text, _), default in zip(known, defaults, strict=True))
    hardware, planner, verify = said
    return hardware, planner, verify


def _assumed(config: Config, problems: Problems) -> tuple[str, ...]:
    from pypto_build.passes.properties import IRProperty

    known = [one.name for one in IRProperty]
    for text in config.assumes:
        if text.value not in known:
            help = did_you_mean(text.value, known)
            problems.add(UserError("PIPE018", f"there is no IR property `{text.value}`", text.span, help=help))
    return tuple(sorted({text.value for text in config.assumes}))


def _check_diagnostics(config: Config, host: PluginHost, *, problems: Problems) -> None:
    if config.disable or config.enable:
        from pypto_build.pipeline.diagnostics import check_known  # with the passes behind it

        check_known(host, problems, disable=config.disable, enable=config.enable)


def _order_problems(pipeline: Pipeline) -> tuple[UserError, ...]:
    from pypto_build.passes.properties import STRUCTURAL

    def producers(name: str) -> tuple[str, ...]:
        return tuple(sorted(_producers(pipeline.host, name)))

    given = property_names(STRUCTURAL).union(pipeline.assumes)
    return check_order(pipeline.passes, pipeline.targets, given=given, producers=producers)


def _producers(host: PluginHost, name: str) -> Iterator[str]:
    """The passes of all plugins that establish a property; those that cannot be loaded are nobody's advice."""
    for use in host.registry.names(Kind.PASS):
        try:
            cls = host.load(host.find(Kind.PASS, use, span=Span("", -1, -1)))
        except UserError:
            continue
        if name in established_by(cls):
            yield use


def _plugin_files(host: PluginHost) -> Iterator[str]:
    for plugin in host.plugins():
        if plugin.candidate.source is Source.LOCAL:
            yield from map(str, source_files(Path(plugin.candidate.location)))
