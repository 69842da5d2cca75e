# SPDX-License-Identifier: Apache-2.0
"""Pipeline files that are known to fit the schema: those that are shipped, as long as nobody edits them.

Holding a file against the schema takes a library whose import is a tenth of a worker's start. The shipped files were
held against it when `configs/schema.json` was written, which has their digests; a test keeps both fresh.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

from pypto_build.pipeline.locate import shipped_directory

KEY = "x-fitting"
"""Where the digests are in the JSON Schema; editors look past it."""


def digest_of(text: str) -> str:
    """What a file is known by."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_known_to_fit(text: str) -> bool:
    """Whether a file with this text was held against the schema, and fits."""
    return digest_of(text) in _fitting()


@cache
def _fitting() -> frozenset[str]:
    try:
        schema: dict[str, Any] = json.loads((shipped_directory() / "schema.json").read_text(encoding="utf-8"))
    except OSError:
        return frozenset()
    return frozenset(schema.get(KEY, {}).values())
