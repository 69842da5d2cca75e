# SPDX-License-Identifier: Apache-2.0
"""Every hook that a plugin may implement; this file is the reference manual.

There are two kinds of hooks and no third. *Registering* hooks return names; *observing* hooks are told what happened.
No hook decides an order (the pipeline's YAML does) and none is called per IR node.

A plugin is a module::

    from collections.abc import Mapping
    from pypto_build.host import hookimpl

    PYPTO_BUILD_API = 1

    @hookimpl
    def pypto_register_passes() -> Mapping[str, str]:
        return {"my_pass": "my_package.my_pass:MyPass"}

`PYPTO_BUILD_API` is the version of this file that the plugin was written for; another number is refused with a
reason. Installed plugins must state it; local ones may.

A registering hook returns a literal dictionary of `name: "module:attribute"`. Because it is literal,
`pypto-build plugins` reads it without importing the plugin; because it is text, `module` is imported only when a
pipeline or a command uses `name`. In a local plugin (`plugins: [./my_passes.py]`) a reference may also be `":MyPass"`
for a class of the same file, and in a local package `".my_pass:MyPass"` for one of its modules.

Names are lower_snake_case. Two plugins that provide the same name are an error for whoever uses it, unless the
pipeline says which one counts: `replace: {name: plugin}`.

An installed plugin is found through an entry point of the group `pypto_build`, whose name is the plugin's name::

    [project.entry-points.pypto_build]
    my_plugin = "my_package.plugin"
"""

# A specification is never called: it has no body and uses no argument.
# pyright: reportReturnType=false, reportUnusedParameter=false
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from pypto_build.host.events import (
        CacheHit,
        CacheMiss,
        PassFinished,
        PassStarted,
        PipelineFinished,
        PipelineStarted,
        Report,
    )

PROJECT = "pypto_build"
API_VERSION = 1

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def pypto_register_passes() -> Mapping[str, str]:
    """Name passes. Each attribute is a frozen dataclass that follows `pypto_build.passes`: its fields are its options.

    The name is what `passes:` of a pipeline says and the snake_case of the class: `fold_constants` for `FoldConstants`.
    """


@hookspec
def pypto_register_ops() -> Mapping[str, str]:
    """Name operations. Each attribute is an operation definition of `pypto_build.ops`; the name is the operation's.

    Operation names carry their family: `"tile.my_op": "my_package.my_op:MY_OP"`.
    """


@hookspec
def pypto_register_verifiers() -> Mapping[str, str]:
    """Name property verifiers and checks.

    A verifier re-derives one IR property from a program and returns its diagnostics; its name is the snake_case of the
    property: `ssa_form` for `SSAForm`. Any other name is that of a check, an instance of `pypto_build.passes.Check`,
    which warns or hints: `unused_variable` for `UnusedVariable`.
    """


@hookspec
def pypto_register_targets() -> Mapping[str, str]:
    """Name code-generation targets. Each attribute is a frozen dataclass that follows `pypto_build.host.Target`."""


@hookspec
def pypto_register_simulators() -> Mapping[str, str]:
    """Name simulators. Each attribute is a frozen dataclass that follows `pypto_build.host.Simulator`."""


@hookspec
def pypto_register_stores() -> Mapping[str, str]:
    """Name stores. Each attribute takes a location and returns an object that follows `pypto_build.store.Store`.

    `PYPTO_BUILD_SHARED_STORE=NAME:LOCATION` puts it behind the local store, which asks it for what it does not have.
    """


@hookspec
def pypto_register_commands() -> Mapping[str, str]:
    """Name subcommands of `pypto-build`. Each attribute is a `pypto_build.host.Command`.

    `pypto-build --help` imports the module of every command, so such a module imports what is heavy inside functions.
    """


@hookspec
def pypto_pipeline_started(event: PipelineStarted) -> None:
    """Observe that a source is about to go through a pipeline."""


@hookspec
def pypto_pipeline_finished(event: PipelineFinished) -> None:
    """Observe that a source went through a pipeline without error."""


@hookspec
def pypto_pass_started(event: PassStarted) -> None:
    """Observe that a pass is about to run on a function, or on the program; a reused result starts nothing."""


@hookspec
def pypto_pass_finished(event: PassFinished) -> None:
    """Observe that a pass ran without error."""


@hookspec
def pypto_cache_hit(event: CacheHit) -> None:
    """Observe that the result of a pass or a target came from the store.

    A source of which nothing changed is answered before any plugin is loaded, and nobody is told.
    """


@hookspec
def pypto_cache_miss(event: CacheMiss) -> None:
    """Observe that the store had no result."""


@hookspec
def pypto_report(event: Report) -> None:
    """Observe the facts that a command reports at its end, to send them elsewhere."""
