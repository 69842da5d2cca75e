# SPDX-License-Identifier: Apache-2.0
"""Wheels of what is installed here, so that a directory of them can be filled without a network."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

LEFT_OUT = ("INSTALLER", "REQUESTED", "direct_url.json")  # which an installer adds


def needed(names: Iterable[str]) -> list[Distribution]:
    """The distributions that these need, without themselves, as this Python on this machine needs them."""
    found: dict[str, Distribution] = {}
    waiting = list(names)
    while waiting:
        for text in distribution(waiting.pop()).requires or ():
            requirement = Requirement(text)
            if requirement.name not in found and _applies(requirement):
                found[requirement.name] = distribution(requirement.name)
                waiting.append(requirement.name)
    return list(found.values())


def pack(installed: Distribution, directory: Path) -> Path:
    """The wheel of an installed distribution; scripts are left out, since an installer makes them anew."""
    name = installed.metadata["Name"].replace("-", "_").replace(".", "_")
    wheel = directory / f"{name}-{installed.version}-{_tag(installed)}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in installed.files or ():
            if ".." not in file.parts and file.name not in LEFT_OUT and file.suffix != ".pyc":
                archive.write(str(file.locate()), str(file))
    return wheel


def _tag(installed: Distribution) -> str:
    """The compatibility tags, in the short form of a file name: `py2.py3-none-any`."""
    lines = (installed.read_text("WHEEL") or "").splitlines()
    tags = [line.removeprefix("Tag: ").split("-") for line in lines if line.startswith("Tag: ")]
    return "-".join(".".join(dict.fromkeys(column)) for column in zip(*tags, strict=True))


def _applies(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})
