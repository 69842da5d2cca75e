# SPDX-License-Identifier: Apache-2.0
"""What tests of a plugin need: programs from text, and checks of a pass beyond comparing its result."""

from pypto_build.testing.contract import check_contract
from pypto_build.testing.golden import check_golden
from pypto_build.testing.passes import check_pass, check_refused, check_unchanged
from pypto_build.testing.programs import body, method, program
from pypto_build.testing.samples import Sample, samples_for
from pypto_build.testing.simulators import check_simulator
from pypto_build.testing.targets import check_target

__all__ = [
    "Sample",
    "body",
    "check_contract",
    "check_golden",
    "check_pass",
    "check_refused",
    "check_simulator",
    "check_target",
    "check_unchanged",
    "method",
    "program",
    "samples_for",
]
