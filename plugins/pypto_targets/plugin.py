# SPDX-License-Identifier: Apache-2.0
"""The first-party targets: one line each."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.host import hookimpl

PYPTO_BUILD_API = 1


@hookimpl
def pypto_register_targets() -> Mapping[str, str]:
    """Targets by YAML name."""
    return {
        "orchestration": "pypto_targets.orchestration.target:OrchestrationTarget",
        "pto": "pypto_targets.pto.target:PtoTarget",
    }
