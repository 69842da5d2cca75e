# SPDX-License-Identifier: Apache-2.0
"""A lock file: what a pipeline meant and which plugins it ran with, so that a later run can refuse to differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pypto_build
from pypto_build.errors import Span, UserError
from pypto_build.host import Plugin, Source
from pypto_build.host.local import plugin_digest
from pypto_build.pipeline.planned import Pipeline

LOCK_VERSION = 1


def lock_data(pipeline: Pipeline) -> dict[str, object]:
    """The facts to lock: the pipeline's identity, and of each plugin that it uses the version and the code."""
    entries = [*pipeline.passes, *pipeline.targets, *([pipeline.simulator] if pipeline.simulator else [])]
    used: dict[str, list[str]] = {}
    for entry in entries:
        names = used.setdefault(entry.contribution.provider, [])
        names += [entry.use] if entry.use not in names else []
    return {
        "lock": LOCK_VERSION,
        "pipeline": pipeline.title,
        "digest": pipeline.digest,
        "plugins": {name: _plugin_facts(pipeline.host.plugin(name), uses) for name, uses in sorted(used.items())},
    }


def lock_text(pipeline: Pipeline) -> str:
    """The lock file."""
    return json.dumps(lock_data(pipeline), indent=1) + "\n"


def lock_problems(pipeline: Pipeline, path: str) -> tuple[UserError, ...]:
    """Every way in which a pipeline differs from what a lock file says."""
    try:
        locked = cast(object, json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise UserError("PIPE050", f"lock file `{path}` cannot be read: {error}") from None
    if not isinstance(locked, dict) or cast(Mapping[str, object], locked).get("lock") != LOCK_VERSION:
        raise UserError("PIPE050", f"`{path}` is not a lock file of this version")
    return tuple(_differences(cast(Mapping[str, object], locked), lock_data(pipeline), path=path))


def _differences(locked: Mapping[str, object], now: Mapping[str, object], *, path: str) -> Iterator[UserError]:
    place = Span(path, -1, -1)
    old = cast(Mapping[str, Mapping[str, object]], locked.get("plugins", {}))
    new = cast(Mapping[str, Mapping[str, object]], now["plugins"])
    for name in sorted({*old, *new}):
        if name not in new:
            yield UserError("PIPE051", f"plugin `{name}` is no longer used", place)
        elif name not in old:
            yield UserError("PIPE051", f"plugin `{name}` is not in the lock file", place)
        elif old[name].get("version") != new[name]["version"]:
            was, is_now = (one[name].get("version") or "unknown" for one in (old, new))
            yield UserError("PIPE051", f"plugin `{name}` was version {was}, and is {is_now} now", place)
        elif old[name].get("digest") != new[name]["digest"]:
            yield UserError("PIPE051", f"the code of plugin `{name}` has changed", place)
    if locked.get("digest") != now["digest"]:
        help = "`pypto-build pipeline lock` writes the file anew"
        yield UserError("PIPE051", f"pipeline {now['pipeline']} has another meaning now", place, help=help)


def _plugin_facts(plugin: Plugin, uses: list[str]) -> dict[str, object]:
    built_in = plugin.candidate.source is Source.BUILT_IN
    return {
        "source": str(plugin.candidate.source),
        "distribution": "pypto-build" if built_in else plugin.candidate.distribution,
        "version": pypto_build.__version__ if built_in else plugin.candidate.version,
        "digest": plugin_digest(plugin.candidate),
        "uses": sorted(uses),
    }
