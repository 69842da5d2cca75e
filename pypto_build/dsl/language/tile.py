# SPDX-License-Identifier: Apache-2.0
"""`pl.tile`: the operations of this namespace, each found when it is first named."""

from __future__ import annotations

from pypto_build.dsl.language.operations import namespace

_find, __dir__ = namespace("tile")


def __getattr__(name: str) -> object:
    if name == "MemRefType":
        from pypto_build.dsl.language.values import MemRefType  # not for `import *`: it is no operation

        return MemRefType
    if name != "MaskPattern":
        return _find(name)
    from pypto_build.ops.build.tile.gather import MaskPattern  # the registry is loaded when somebody asks

    return MaskPattern
