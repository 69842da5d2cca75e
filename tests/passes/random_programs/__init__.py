# SPDX-License-Identifier: Apache-2.0
"""Random well-typed programs, and what every language pass must keep of them."""

from tests.passes.random_programs.program import Written, programs, random_program
from tests.passes.random_programs.proof import LANGUAGE_PASSES, Claim, RefutedError, prove, refutes
from tests.passes.random_programs.smaller import smaller

__all__ = [
    "LANGUAGE_PASSES",
    "Claim",
    "RefutedError",
    "Written",
    "programs",
    "prove",
    "random_program",
    "refutes",
    "smaller",
]
