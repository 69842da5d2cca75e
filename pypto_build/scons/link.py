# SPDX-License-Identifier: Apache-2.0
"""`PtoProgram`: objects become the directory that the runtime expects."""

from __future__ import annotations

import sys
from typing import Any

from pypto_build.driver.link import link_objects
from pypto_build.errors import UserError, render
from pypto_build.scons.actions import signed_action
from pypto_build.scons.modules import scons
from pypto_build.scons.objects import build_error, without_maps


def builder(env: Any) -> Any:
    """The builder: the target is the program's configuration file; its directory is the program."""
    builder_of = scons("Builder").Builder

    return builder_of(
        action=signed_action(link, "$PTOLINKCOMSTR", ["PTOIMPLEMENTATION"]),
        emitter=emit,
        src_suffix="$PTOSUFFIX",
        target_factory=env.fs.Entry,
    )


def emit(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """The target names a directory; what SCons tracks is the configuration file in it."""
    configuration = env.File(str(target[0]) + "/kernel_config.py")
    env.Clean(configuration, str(target[0]))
    env.Precious(configuration)
    env.NoCache(configuration)
    return [configuration], without_maps(source, env)


def link(target: list[Any], source: list[Any], env: Any) -> None:
    """The action."""
    del env
    try:
        link_objects([node.get_abspath() for node in source], target[0].dir.get_abspath())
    except UserError as error:
        print(render(error), file=sys.stderr)
        raise build_error(target[0], "linking failed", status=2) from None
