# SPDX-License-Identifier: Apache-2.0
"""`pypto-build init`: a directory in which `scons` builds and simulates a kernel, to start from."""

from __future__ import annotations

import argparse
from pathlib import Path

from pypto_build.cli.template_files import template_files
from pypto_build.errors import UserError
from pypto_build.host.command import Command
from pypto_build.host.manager import PluginHost


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The directory."""
    parser.add_argument("directory", metavar="DIR", nargs="?", default=".", help="where to start (default: here)")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Write the files and say what to do next."""
    del host
    directory = Path(arguments.directory)
    for file in make_tree(directory):
        print(file)
    print("\nNext: " + ("scons" if arguments.directory == "." else f"cd {directory} && scons"))
    return 0


def make_tree(directory: Path) -> tuple[Path, ...]:
    """The files that were written; all of them or none.

    Raises:
        UserError: one of them is there already, or the directory cannot be written.
    """
    texts = {directory / path: text for path, text in template_files("init")}
    there = [str(path) for path in texts if path.exists()]
    if there:
        help = "take another directory: nothing is overwritten"
        raise UserError("INIT001", f"{', '.join(there)} exists already", help=help)
    written: list[Path] = []
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                written.append(path)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink()
        raise UserError("INIT002", f"cannot write into {directory}: {error.strerror}") from error
    return tuple(written)


command = Command("init", "start a directory of kernels that scons builds", add_arguments, run)
