# SPDX-License-Identifier: Apache-2.0
"""`PtoAssemble`: the kernels of an object go through the external assembler, where the user has it."""

from __future__ import annotations

import shutil
import sys
from typing import Any

from pypto_build.driver.assemble import Assembler, assemble_object
from pypto_build.errors import UserError, render
from pypto_build.scons.actions import signed_action
from pypto_build.scons.build_run import timeout
from pypto_build.scons.modules import scons
from pypto_build.scons.objects import build_error, without_maps


def builder(env: Any) -> Any:
    """The builder: an object becomes an archive of what the assembler made of its kernels."""
    builder_of = scons("Builder").Builder

    del env
    return builder_of(
        action=signed_action(assemble, "$PTOASCOMSTR", ["PTOAS", "PTOASFLAGS"]),
        emitter=emit,
        suffix="$PTOASSUFFIX",
        src_suffix="$PTOSUFFIX",
    )


def emit(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """The program itself is a dependency: another version makes everything again."""
    program = shutil.which(_command(env)[0])
    if program is not None:
        env.Depends(target, env.File(program))
    env.Precious(target)
    env.NoCache(target)
    return target, without_maps(source, env)


def assemble(target: list[Any], source: list[Any], env: Any) -> None:
    """The action."""
    flags = tuple(env.subst(str(flag)) for flag in env.Flatten(env["PTOASFLAGS"]))
    assembler = Assembler(_command(env), flags, timeout(env))
    try:
        assemble_object(source[0].get_abspath(), target[0].get_abspath(), assembler)
    except UserError as error:
        print(render(error), file=sys.stderr)
        raise build_error(target[0], "assembling failed", status=2) from None


def _command(env: Any) -> tuple[str, ...]:
    """The program: a text is its path, with blanks or without; a list has arguments behind it."""
    return tuple(env.subst(str(part)) for part in env.Flatten([env["PTOAS"]]))
