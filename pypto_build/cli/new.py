# SPDX-License-Identifier: Apache-2.0
"""`pypto-build new`: a plugin package of one's own, complete, tested and ready to install."""

from __future__ import annotations

import argparse
import keyword
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from pypto_build.cli.template_files import template_files
from pypto_build.errors import UserError
from pypto_build.host.command import Command
from pypto_build.host.manager import PluginHost


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of contribution: the hook that registers it, and what the template does until it is filled in."""

    hook: str
    summary: str


_KINDS: Mapping[str, _Kind] = {
    "pass": _Kind("passes", "A pass that drops additions of zero."),
    "target": _Kind("targets", "A target that lists the operations of a program."),
    "simulator": _Kind("simulators", "A simulator that counts operations."),
    "op": _Kind("ops", "An operation that squares a tile."),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The kind, the name and the place."""
    parser.add_argument("kind", choices=tuple(_KINDS), help="what the plugin provides")
    parser.add_argument("name", metavar="NAME", help="its name, in snake_case: fold_constants")
    parser.add_argument("--into", default=".", metavar="DIR", help="where the package's directory is made")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Write the package and say what to do next."""
    del host
    package = make_package(arguments.kind, arguments.name, into=Path(arguments.into))
    for file in sorted(one for one in package.rglob("*") if one.is_file()):
        print(file)
    print(f'\nNext: cd {package} && pip install -e ".[test]" && pytest')
    return 0


def make_package(kind: str, name: str, *, into: Path) -> Path:
    """The directory of the new package; it is there completely or not at all.

    Raises:
        UserError: the name is no name, or there is such a directory already, or it cannot be written.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise UserError("NEW001", f"{name!r} is no name in snake_case", help="such as fold_constants or trace_2d")
    place = into / name
    if place.exists():
        raise UserError("NEW002", f"{place} exists already", help="take another name, or another directory with --into")
    try:
        into.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=into))
    except OSError as error:
        raise UserError("NEW003", f"cannot write into {into}: {error.strerror}") from error
    try:
        _fill(scratch, kind, name)
        scratch.chmod(0o755)
        return scratch.rename(place)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _fill(directory: Path, kind: str, name: str) -> None:
    words = _words(kind, name)
    for part in ("common", kind):
        for path, text in template_files(part):
            file = directory / path.replace("PACKAGE", words["package"]).replace("NAME", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(Template(text).substitute(words), encoding="utf-8")


def _words(kind: str, name: str) -> dict[str, str]:
    cls = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return {
        "name": name,
        "package": f"pypto_{name}",
        "distribution": f"pypto-{name.replace('_', '-')}",
        "cls": cls,
        "attribute": name.upper() if kind == "op" else cls,
        "registered": f"tile.{name}" if kind == "op" else name,
        "squeezed": name.replace("_", ""),
        "hook": _KINDS[kind].hook,
        "summary": _KINDS[kind].summary,
    }


command = Command("new", "start a plugin: a pass, a target, a simulator or an operation", add_arguments, run)
