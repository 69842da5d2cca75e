# SPDX-License-Identifier: Apache-2.0
"""How large and how old a store may become, and how people write that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pypto_build.errors import UserError

SIZE_VARIABLE = "PYPTO_BUILD_STORE_SIZE"
AGE_VARIABLE = "PYPTO_BUILD_STORE_AGE"

_SIZES = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_AGES = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


@dataclass(frozen=True, slots=True)
class Limits:
    """What the collector enforces. `grace_s` protects a body that is written before the record that will name it."""

    max_bytes: int = 5 * 2**30
    max_age_s: int = 30 * 86400
    grace_s: int = 3600


def store_limits(environ: Mapping[str, str], *, size: str | None = None, age: str | None = None) -> Limits:
    """The arguments, else PYPTO_BUILD_STORE_SIZE and PYPTO_BUILD_STORE_AGE, else 5 GiB and 30 days."""
    size = size or environ.get(SIZE_VARIABLE)
    age = age or environ.get(AGE_VARIABLE)
    limits = Limits()
    return Limits(
        parse_size(size) if size else limits.max_bytes,
        parse_age(age) if age else limits.max_age_s,
    )


def parse_size(text: str) -> int:
    """Bytes of `500M`, `5GiB` or `1048576`; the units are powers of 1024."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([bkmgt]?)(?:i?b)?", text.strip().lower())
    if found is None:
        raise UserError("STORE011", f"{text!r} is not a size", help="write for example 500M or 5GiB")
    return int(float(found[1]) * _SIZES[found[2]])


def parse_age(text: str) -> int:
    """Seconds of `30d`, `12h`, `45m`, `10s` or `2w`; a bare number counts days."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw]?)", text.strip().lower())
    if found is None:
        raise UserError("STORE012", f"{text!r} is not an age", help="write for example 30d or 12h")
    return int(float(found[1]) * _AGES[found[2] or "d"])


def show_size(count: int) -> str:
    """`1.5 GiB`."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"
