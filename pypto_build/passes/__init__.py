# SPDX-License-Identifier: Apache-2.0
"""The framework of passes: contract, properties, context, verification."""

from pypto_build.passes.apply import apply_pass
from pypto_build.passes.checks import Check, Finding, Phase, Selection, Severity
from pypto_build.passes.context import FACTS, DiagnosticSink, PassContext
from pypto_build.passes.contract import (
    NO_CALLEES,
    Callee,
    Callees,
    FunctionPass,
    FunctionResult,
    Pass,
    PassBase,
    ProgramPass,
    Signature,
    Summary,
)
from pypto_build.passes.hardware import ASCEND910B, ASCEND950, HARDWARE, Buffer, HardwareDescription, hardware_by_name
from pypto_build.passes.properties import DEFAULT_VERIFY, STRUCTURAL, VERIFIED_BASIC, IRProperty, PropertySet
from pypto_build.passes.verifier import (
    LEVELS,
    Verification,
    VerificationError,
    Verifier,
    VerifierRegistry,
    errors_of,
    report,
)
