# SPDX-License-Identifier: Apache-2.0
"""PTO objects: a deterministic zip of the manifest, the targets' files and the final IR, and the source map beside it.

Members are sorted, times are fixed and nothing is compressed: the same content gives the same bytes on every machine,
whatever its zlib.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pypto_build.errors import UserError
from pypto_build.host.contracts import Member

FORMAT = 1
MANIFEST = "manifest.json"
FINAL_IR = "ir/final.json"
_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say


def pack(members: Mapping[str, bytes]) -> bytes:
    """The bytes of an archive with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(members):
            info = zipfile.ZipInfo(path, _TIME)
            info.external_attr = 0o644 << 16
            info.create_system = 3  # Unix, wherever this runs
            archive.writestr(info, members[path])
    return buffer.getvalue()


def unpack(content: bytes, name: str) -> dict[str, bytes]:
    """The members of an archive.

    Raises:
        UserError: the content is not a PTO object of a format that this version reads.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
        manifest = json.loads(members[MANIFEST])
    except (zipfile.BadZipFile, KeyError, ValueError) as problem:
        raise UserError("OBJ001", f"{name} is not a PTO object: {problem}", help="build it again") from problem
    if manifest.get("format") != FORMAT:
        raise UserError("OBJ002", f"{name} has object format {manifest.get('format')}, this version reads {FORMAT}")
    return members


def read_object(path: str, *, code: str) -> dict[str, bytes]:
    """The members of an object file.

    Raises:
        UserError: with this code when the file cannot be read; it is not a PTO object that this version reads.
    """
    try:
        with open(path, "rb") as file:
            return unpack(file.read(), path)
    except OSError as error:
        raise UserError(code, f"cannot read {path}: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class ObjectContent:
    """What goes into an object: the parts of the manifest, the targets' members, the final functions serialized."""

    program: str
    pipeline: Mapping[str, object]
    passes: Sequence[Mapping[str, object]]
    functions: Sequence[Mapping[str, object]]
    members: tuple[Member, ...]
    final: Mapping[str, bytes]


def build_object(content: ObjectContent) -> bytes:
    """The bytes of an object."""
    manifest = {
        "format": FORMAT,
        "program": content.program,
        "pipeline": dict(content.pipeline),
        "passes": [dict(entry) for entry in content.passes],
        "functions": [dict(entry) for entry in content.functions],
        "members": sorted(member.path for member in content.members),
    }
    files = {member.path: member.data for member in content.members}
    files[MANIFEST] = (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()
    files[FINAL_IR] = _final(content.program, content.final)
    return pack(files)


def _final(program: str, functions: Mapping[str, bytes]) -> bytes:
    parts = [f"{json.dumps(name)}:".encode() + functions[name] for name in sorted(functions)]
    return f'{{"program":{json.dumps(program)},"functions":{{'.encode() + b",".join(parts) + b"}}"


def read_manifest(members: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest of an unpacked object."""
    return json.loads(members[MANIFEST])


def build_map(members: tuple[Member, ...], *, base: str, chain_id: str) -> bytes:
    """The source map: for each member the source places of its lines, file names relative to `base`.

    `chain_id` is what the store knows the history of the object under.
    """
    files: list[str] = []
    table: dict[str, list[list[int]]] = {}
    for member in members:
        rows: list[list[int]] = []
        for line, span in member.locations:
            if not span.is_valid():
                continue
            name = os.path.relpath(span.filename, base)
            if name not in files:
                files.append(name)
            rows.append([line, files.index(name), span.begin_line, span.begin_column])
        table[member.path] = rows
    return (
        json.dumps({"format": FORMAT, "id": chain_id, "sources": files, "lines": table}, sort_keys=True) + "\n"
    ).encode()
