# SPDX-License-Identifier: Apache-2.0
"""The first-party simulators: one line each."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.host import hookimpl

PYPTO_BUILD_API = 1


@hookimpl
def pypto_register_simulators() -> Mapping[str, str]:
    """Simulators by YAML name."""
    return {
        "emitted": "pypto_simulators.pto_text.simulator:EmittedSimulator",
        "functional": "pypto_simulators.functional.simulator:FunctionalSimulator",
    }
