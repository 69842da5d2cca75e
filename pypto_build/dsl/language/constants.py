# SPDX-License-Identifier: Apache-2.0
"""Element types, layouts and memory spaces under their short names."""

from __future__ import annotations

from typing import Final

from pypto_build.dsl.language.values import Scalar
from pypto_build.ir import DataType, Expr, MemorySpace, TensorLayout

BF16: Final = DataType.BF16
BOOL: Final = DataType.BOOL
FP16: Final = DataType.FP16
FP32: Final = DataType.FP32
FP4: Final = DataType.FP4
FP8E4M3FN: Final = DataType.FP8E4M3FN
FP8E5M2: Final = DataType.FP8E5M2
FP8E8M0: Final = DataType.FP8E8M0
HF4: Final = DataType.HF4
HF8: Final = DataType.HF8
INDEX: Final = DataType.INDEX
INT16: Final = DataType.INT16
INT32: Final = DataType.INT32
INT4: Final = DataType.INT4
INT64: Final = DataType.INT64
INT8: Final = DataType.INT8
TASK_ID: Final = DataType.TASK_ID
UINT16: Final = DataType.UINT16
UINT32: Final = DataType.UINT32
UINT4: Final = DataType.UINT4
UINT64: Final = DataType.UINT64
UINT8: Final = DataType.UINT8

ND: Final = TensorLayout.ND
DN: Final = TensorLayout.DN
NZ: Final = TensorLayout.NZ
MX_A_ZZ: Final = TensorLayout.MX_A_ZZ
MX_B_NN: Final = TensorLayout.MX_B_NN

Mem = MemorySpace
IntLike = int | Expr | Scalar
