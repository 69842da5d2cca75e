# SPDX-License-Identifier: Apache-2.0
"""Every property can be checked."""

import pytest

from pypto_build.driver.toolchain import toolchain
from pypto_build.ir import Program
from pypto_build.passes import IRProperty, PassContext

NOTHING = "{schema: 1, name: one, hardware: ascend910b, passes: [convert_to_ssa]}"


@pytest.mark.parametrize("prop", IRProperty)
def test_every_property_has_a_verifier_which_an_empty_program_passes(prop):
    verifiers = toolchain(NOTHING).verifiers
    assert verifiers.has(prop)
    assert verifiers.verify(frozenset({prop}), Program(()), PassContext()) == ()
