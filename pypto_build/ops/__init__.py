# SPDX-License-Identifier: Apache-2.0
"""The operations: what each takes, yields and touches, and the registry that makes calls of them."""

from pypto_build.ops.builtin import builtin_registry, current_registry, reading_with
from pypto_build.ops.definition import (
    INHERIT,
    AccessEvidence,
    ArgDef,
    CoreAffinity,
    CrossCoreRole,
    FromInput,
    FromKwarg,
    KwargDef,
    MemorySpec,
    OpDef,
)
from pypto_build.ops.operands import Operands
from pypto_build.ops.registry import OpRegistry

__all__ = [
    "INHERIT",
    "AccessEvidence",
    "ArgDef",
    "CoreAffinity",
    "CrossCoreRole",
    "FromInput",
    "FromKwarg",
    "KwargDef",
    "MemorySpec",
    "OpDef",
    "OpRegistry",
    "Operands",
    "builtin_registry",
    "current_registry",
    "reading_with",
]
