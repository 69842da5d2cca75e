# SPDX-License-Identifier: Apache-2.0
"""Where a pipeline comes from: a file, one of the shipped ones by name, or text on the command line."""

from __future__ import annotations

import linecache
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pypto_build
from pypto_build.errors import UNKNOWN_SPAN, Span, UserError
from pypto_build.host.paths import shown_path
from pypto_build.host.suggest import did_you_mean

INLINE = "<pipeline>"
_VARIANT = re.compile(r"(.+)@([A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True)
class Origin:
    """One source of a pipeline: the name under which messages show it, and its text when that is not in a file."""

    filename: str
    text: str | None = None

    @property
    def directory(self) -> str:
        """What relative paths in it are relative to."""
        return "." if self.text is not None else os.path.dirname(self.filename) or "."


def split_variant(spec: str) -> tuple[str, str]:
    """`name@variant` as name and variant; text in braces has no variant."""
    match = None if spec.lstrip().startswith("{") else _VARIANT.fullmatch(spec)
    return (match[1], match[2]) if match else (spec, "")


def locate(spec: str, *, directory: str = ".", span: Span = UNKNOWN_SPAN) -> Origin:
    """Find a pipeline by path (relative to `directory`), by the name of a shipped one, or as `{...}` text."""
    if spec.lstrip().startswith("{"):
        lines = spec.splitlines(keepends=True)
        linecache.cache[INLINE] = (len(spec), None, lines, INLINE)  # so that messages can show the line
        return Origin(INLINE, spec)
    if _is_path(spec):
        path = os.path.normpath(os.path.join(directory, spec))
        if not os.path.isfile(path):
            raise UserError("PIPE001", f"there is no pipeline file `{shown_path(path)}`", span, help=_near_file(path))
        return Origin(shown_path(path))
    shipped = shipped_pipelines()
    if spec not in shipped:
        near = did_you_mean(spec, shipped)
        hint = f"shipped pipelines: {', '.join(shipped)}; a file is named by its path, such as ./{spec}.yaml"
        raise UserError("PIPE001", f"there is no pipeline `{spec}`", span, help=near or hint)
    return Origin(shown_path(str(shipped[spec])))


def shipped_pipelines() -> dict[str, Path]:
    """The pipelines that come with this distribution, by name."""
    return {path.stem: path for path in sorted(shipped_directory().glob("*.yaml"))}


def shipped_directory() -> Path:
    """Where they are, with the JSON Schema of pipeline files beside them."""
    package = Path(pypto_build.__file__).parent
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent / "configs"  # the second one in a checkout


def _is_path(spec: str) -> bool:
    return spec.endswith((".yaml", ".yml")) or "/" in spec or os.sep in spec


def _near_file(path: str) -> str:
    name = os.path.basename(path)
    shipped = shipped_pipelines()
    stem = name.rpartition(".")[0]
    if stem in shipped:
        return f"the shipped pipeline is called `{stem}`, without `.yaml`"
    directory = os.path.dirname(path) or "."
    return did_you_mean(name, [one.name for one in Path(directory).glob("*.y*ml")])
