# SPDX-License-Identifier: Apache-2.0
"""Element types under the names `DT_FP32`, ... of the package and `FP32`, ... of `pypto.ir`."""

from __future__ import annotations

from typing import Final

from pypto_build.ir import DATA_TYPES, DataType

NAMES: Final[dict[str, DataType]] = {f"DT_{dtype.attribute}": dtype for dtype in DATA_TYPES}
PLAIN: Final[dict[str, DataType]] = {dtype.attribute: dtype for dtype in DATA_TYPES}
