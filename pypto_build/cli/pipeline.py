# SPDX-License-Identifier: Apache-2.0
"""`pypto-build pipeline`: what a pipeline means, whether it holds, how two differ, and locking it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pypto_build.cli.values import UNORDERED, definition
from pypto_build.errors import EXIT_USER_ERROR, UserError, UserErrors, render, render_diagnostic
from pypto_build.host import Command, PluginHost

if TYPE_CHECKING:
    from pypto_build.pipeline import Pipeline

EXIT_DIFFERENT = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The five actions."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    named = "a shipped pipeline, a file, either with @VARIANT, or one line of YAML in braces (default: default)"

    def action(name: str, purpose: str) -> argparse.ArgumentParser:
        made = actions.add_parser(name, help=purpose, description=f"{purpose[:1].upper()}{purpose[1:]}.")
        made.add_argument(
            "-D", action="append", default=[], dest="define", metavar="NAME=VALUE", help="set a parameter"
        )
        made.add_argument("--allow-unordered", action="store_true", help=UNORDERED)
        return made

    shown = action("show", "print the resolved form, with the place that each line comes from")
    shown.add_argument("pipeline", nargs="?", default="default", metavar="P", help=named)
    shown.add_argument("--defaults", action="store_true", help="write out the options that no file gives")
    shown.add_argument("--no-origins", action="store_true", help="without the places")
    shown.add_argument("--one-line", action="store_true", help="the canonical form, which names the pipeline anywhere")
    checked = action("check", "say everything that is wrong with pipelines")
    checked.add_argument("pipelines", nargs="*", default=["default"], metavar="P", help=named)
    checked.add_argument("--locked", metavar="FILE", help="refuse what differs from this lock file")
    compared = action("diff", "show in what two pipelines differ; exit status 1 if they do")
    compared.add_argument("first", metavar="A", help=named)
    compared.add_argument("second", metavar="B", help=named)
    locked = action("lock", "write down what a pipeline means and which plugins it uses")
    locked.add_argument("pipeline", nargs="?", default="default", metavar="P", help=named)
    locked.add_argument("-o", "--output", metavar="FILE", help="the lock file (default: NAME.lock)")
    made = action("schema", "print the JSON Schema of pipeline files, for editors")
    made.add_argument("-o", "--output", metavar="FILE", help="write it there instead")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Do one of the actions."""
    return _ACTIONS[arguments.action](arguments, host)


def _load(spec: str, arguments: argparse.Namespace, *, host: PluginHost) -> Pipeline:
    from pypto_build.pipeline import load_pipeline

    defines = dict(definition(text) for text in arguments.define)
    pipeline = load_pipeline(spec, host.options, defines=defines, allow_unordered=arguments.allow_unordered)
    for warning in pipeline.warnings:
        if warning not in host.warnings:  # those were shown before the command began
            print(render_diagnostic(warning), file=sys.stderr)
    return pipeline


def _show(arguments: argparse.Namespace, host: PluginHost) -> int:
    from pypto_build.pipeline import one_line
    from pypto_build.pipeline.show import show

    pipeline = _load(arguments.pipeline, arguments, host=host)
    if arguments.one_line:
        print(one_line(pipeline))
    else:
        print(show(pipeline, defaults=arguments.defaults, origins=not arguments.no_origins), end="")
    return 0


def _check(arguments: argparse.Namespace, host: PluginHost) -> int:
    status = 0
    for spec in arguments.pipelines:
        try:
            pipeline = _load(spec, arguments, host=host)
            _check_lock(pipeline, arguments.locked)
        except UserError as error:
            print(render(error), file=sys.stderr)
            status = EXIT_USER_ERROR
            continue
        print(f"{pipeline.title}: {len(pipeline.passes)} passes, digest {pipeline.digest}")
    return status


def _check_lock(pipeline: Pipeline, path: str | None) -> None:
    from pypto_build.pipeline.lock import lock_problems

    problems = lock_problems(pipeline, path) if path else ()
    if problems:
        raise UserErrors(problems)


def _diff(arguments: argparse.Namespace, host: PluginHost) -> int:
    from difflib import unified_diff

    from pypto_build.pipeline.show import show

    pipelines = [_load(spec, arguments, host=host) for spec in (arguments.first, arguments.second)]
    texts = [show(one, defaults=True, origins=False).splitlines() for one in pipelines]
    if pipelines[0].digest == pipelines[1].digest:
        return 0
    old, new = (f"{one.title} {one.digest}" for one in pipelines)
    print("\n".join(unified_diff(texts[0][1:], texts[1][1:], old, new, lineterm="")))
    return EXIT_DIFFERENT


def _lock(arguments: argparse.Namespace, host: PluginHost) -> int:
    from pypto_build.pipeline.lock import lock_text

    pipeline = _load(arguments.pipeline, arguments, host=host)
    path = arguments.output or f"{pipeline.title}.lock"
    _write(path, lock_text(pipeline))
    print(f"{path}: pipeline {pipeline.title}, digest {pipeline.digest}")
    return 0


def _schema(arguments: argparse.Namespace, host: PluginHost) -> int:
    from pypto_build.pipeline.json_schema import schema_text

    text = schema_text(host)
    if arguments.output is None:
        print(text, end="")
    else:
        _write(arguments.output, text)
    return 0


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError("CLI004", f"`{path}` cannot be written: {error.strerror}") from None


_ACTIONS: dict[str, Callable[[argparse.Namespace, PluginHost], int]] = {
    "show": _show,
    "check": _check,
    "diff": _diff,
    "lock": _lock,
    "schema": _schema,
}

command = Command("pipeline", "show, check, compare and lock pipelines", add_arguments, run)
