# SPDX-License-Identifier: Apache-2.0
"""How each tensor operation of a kernel becomes tile operations."""

from pypto_passes.tensor_conversions.building import Building, Conversion, Surroundings, is_global
from pypto_passes.tensor_conversions.table import SELF_LOADING, STAYING, TARGETS, conversion, yields_tile

__all__ = [
    "SELF_LOADING",
    "STAYING",
    "TARGETS",
    "Building",
    "Conversion",
    "Surroundings",
    "conversion",
    "is_global",
    "yields_tile",
]
