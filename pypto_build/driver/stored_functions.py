# SPDX-License-Identifier: Apache-2.0
"""The serialized final functions inside a stored object, without decoding them."""

from __future__ import annotations

import json

from pypto_build.driver.archive import FINAL_IR, unpack
from pypto_build.errors import UserError


def final_functions(content: bytes) -> dict[str, bytes]:
    """The serialized functions by name; empty when the object is not readable."""
    try:
        table = json.loads(unpack(content, "stored object")[FINAL_IR])
    except (UserError, KeyError, ValueError):
        return {}
    dump = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
    return {name: dump(body).encode() for name, body in table["functions"].items()}
