# SPDX-License-Identifier: Apache-2.0
"""Merging sorted lists: the tile operation takes a scratch tile of the size of its result behind the lists."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import Call, Expr
from pypto_passes.tensor_conversions.building import Building, tensor_type


def merged(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """Two to four sorted lists merged into one."""
    lists = [to.tile(arg) for arg in args]
    kind = tensor_type(call)
    scratch = to.create("mrgsort_tmp", kind.shape, kind.dtype)
    return to.op("tile.mrgsort_format2", *lists, scratch, **call.kwargs)
