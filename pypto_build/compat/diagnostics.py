# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of the public interface, the registry of verifiers, and the numbers of the rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pypto_build import errors
from pypto_build.compat.pass_context import own_context
from pypto_build.compat.pass_properties import IRPropertySet
from pypto_build.compat.pass_settings import DiagnosticSeverity
from pypto_build.compat.providers import verifiers
from pypto_build.compat.public_errors import Error
from pypto_build.errors import Span
from pypto_build.ir import Program
from pypto_build.passes import IRProperty, report

_SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "perf_hint": DiagnosticSeverity.PerfHint,
    "hint": DiagnosticSeverity.PerfHint,
}
_RULES = {"UnusedVariable": "UnusedVariableCheck"}
"""Rules whose name in a diagnostic is not that of their check."""


@dataclass(slots=True)
class Diagnostic:
    """One finding."""

    severity: DiagnosticSeverity
    rule_name: str
    error_code: int
    message: str
    span: Span
    hint_code: str = ""

    def own(self) -> errors.Diagnostic:
        """The same finding as our report prints it."""
        severity = "perf_hint" if self.severity is DiagnosticSeverity.PerfHint else self.severity.name.lower()
        return errors.Diagnostic(severity, self.rule_name, self.message, self.span, self.hint_code, self.error_code)


def public(found: errors.Diagnostic) -> Diagnostic:
    """One of our findings as a public one."""
    severity = _SEVERITIES.get(found.severity, DiagnosticSeverity.Warning)
    message, rule = found.message, _RULES.get(found.rule, found.rule)
    if severity is not DiagnosticSeverity.Error and found.help and found.help not in message:
        message = f"{message}; {found.help}"
    return Diagnostic(severity, rule, found.error_code, message, found.span, found.code)


class PropertyVerifierRegistry:
    """What contradicts properties."""

    @staticmethod
    def verify(properties: IRPropertySet, program: Program) -> list[Diagnostic]:
        """All findings."""
        return [public(found) for found in verifiers().verify(properties.frozen(), program, own_context())]

    @staticmethod
    def verify_or_throw(properties: IRPropertySet, program: Program) -> None:
        """Raise Error with the report when there is an error among the findings."""
        raise_errors(PropertyVerifierRegistry.verify(properties, program), "")

    @staticmethod
    def generate_report(diagnostics: list[Diagnostic]) -> str:
        """The numbered report."""
        return report(found.own() for found in diagnostics)


def raise_errors(found: list[Diagnostic], heading: str) -> None:
    """Raise Error with a heading and the report when there is an error among the findings."""
    if any(one.severity is DiagnosticSeverity.Error for one in found):
        text = report(one.own() for one in found)
        raise Error(f"{heading}:\n{text}" if heading else text)


def verify_properties(properties: IRPropertySet, program: Program, pass_name: str) -> None:
    """Raise Error when the program contradicts the properties after a pass."""
    checked = IRPropertySet(prop for prop in properties.to_list() if verifiers().has(prop))
    found = PropertyVerifierRegistry.verify(checked, program)
    raise_errors(found, f"Verification failed after '{pass_name}' for properties {properties}")


_STRIDES_MISSING = 1  # the error code of TensorViewCanonical for strides that are left out


def verify_tensor_view_canonical(program: Program, require_materialized: bool = False) -> list[Diagnostic]:
    """What is wrong with the strides of tensors; missing ones only with `require_materialized`."""
    found = PropertyVerifierRegistry.verify(IRPropertySet([IRProperty.TensorViewCanonical]), program)
    return [one for one in found if require_materialized or one.error_code != _STRIDES_MISSING]


class SSAErrorType(Enum):
    """Rules of single assignment."""

    MULTIPLE_ASSIGNMENT = 1
    NAME_SHADOWING = 2
    MISSING_YIELD = 3
    ITER_ARGS_RETURN_VARS_MISMATCH = 4
    YIELD_COUNT_MISMATCH = 5
    SCOPE_VIOLATION = 6


class TypeCheckErrorType(Enum):
    """Rules of types."""

    TYPE_KIND_MISMATCH = 101
    DTYPE_MISMATCH = 102
    SHAPE_DIMENSION_MISMATCH = 103
    SHAPE_VALUE_MISMATCH = 104
    SIZE_MISMATCH = 105
    IF_CONDITION_MUST_BE_SCALAR = 106
    FOR_RANGE_MUST_BE_SCALAR = 107
    CONDITION_MUST_BE_BOOL = 108
    TENSOR_PADDING_MISMATCH = 109
    DISTRIBUTED_WINDOW_IDENTITY_MISMATCH = 110
    TILE_VIEW_MISMATCH = 111


class NestedCallErrorType(Enum):
    """Places where a call must not stand."""

    CALL_IN_CALL_ARGS = 201
    CALL_IN_IF_CONDITION = 202
    CALL_IN_FOR_RANGE = 203
    CALL_IN_BINARY_EXPR = 204
    CALL_IN_UNARY_EXPR = 205


class UseAfterDefErrorType(Enum):
    """Rules of definitions."""

    USE_BEFORE_DEF = 401
