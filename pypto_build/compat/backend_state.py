# SPDX-License-Identifier: Apache-2.0
"""The backend that was chosen for the process, as the public interface keeps it, and the hardware it stands for."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from types import MappingProxyType
from typing import Final

from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription


class BackendType(Enum):
    """A chip generation."""

    Ascend910B = 0
    Ascend950 = 1


HARDWARE: Final = {BackendType.Ascend910B: ASCEND910B, BackendType.Ascend950: ASCEND950}
UNCHOSEN: Final = replace(ASCEND910B, native_casts=frozenset(), row_major=MappingProxyType({}))
"""The default hardware before a backend is chosen: of its instructions nothing is known."""
_chosen: list[BackendType] = []


def set_backend_type(backend_type: BackendType) -> None:
    """Choose the backend of the process; ValueError when another one was chosen before."""
    if _chosen and _chosen[0] is not backend_type:
        raise ValueError(f"Backend type already set to {_chosen[0].name}, cannot change it to {backend_type.name}")
    _chosen[:] = [backend_type]


def get_backend_type() -> BackendType:
    """The chosen backend; ValueError when none is."""
    if not _chosen:
        raise ValueError("Backend type not configured: call set_backend_type() first")
    return _chosen[0]


def is_backend_configured() -> bool:
    """Whether a backend is chosen."""
    return bool(_chosen)


def reset_for_testing() -> None:
    """Forget the choice."""
    _chosen.clear()


def current_hardware() -> HardwareDescription:
    """The hardware of the chosen backend, the default one when none is."""
    return HARDWARE[_chosen[0]] if _chosen else UNCHOSEN
