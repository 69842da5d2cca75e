# SPDX-License-Identifier: Apache-2.0
"""Whether a vector kernel is divided between the two vector cores of a block."""

from __future__ import annotations

from pypto_build.ir import Function, SplitMode


def is_divided(function: Function) -> bool:
    """Whether a kernel asks to be divided, by the compiler or by its author."""
    mode = function.attrs.get("split", SplitMode.NONE)  # the front end stores its number
    return mode not in (SplitMode.NONE, SplitMode.NONE.value) or bool(function.attrs.get("split_aiv"))
