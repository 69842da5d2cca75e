# SPDX-License-Identifier: Apache-2.0
"""Every first-party pass keeps the contract that plugin authors check theirs against."""

import pytest
import reference

from pypto_build.testing import check_contract

PASSES = reference.passes()


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_keeps_its_contract(name: str):
    assert check_contract(PASSES[name]()) > 0
