# SPDX-License-Identifier: Apache-2.0
"""Verification: each property has a verifier that re-derives it independently of the pass that claims it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pypto_build.errors import Diagnostic, InternalError, Span, UserError, UserErrors
from pypto_build.ir import Program
from pypto_build.passes.context import PassContext
from pypto_build.passes.properties import AUTHORED, STRUCTURAL, VERIFIED_BASIC, IRProperty, PropertySet, names

Verifier = Callable[[Program, PassContext], Iterable[Diagnostic]]
"""Finds what contradicts a property; nothing found means that the property holds."""

LEVELS = ("none", "basic", "roundtrip")


class VerificationError(InternalError):
    """A pass broke a property that it claims or keeps: a bug of the pass."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...]) -> None:
        span = next((d.span for d in diagnostics if d.span.is_valid()), Span.unknown())
        super().__init__(message, span)
        self.diagnostics = diagnostics


class VerifierRegistry:
    """Which verifier re-derives which property; a property without one cannot be checked and holds by convention."""

    def __init__(self, verifiers: Mapping[IRProperty, Callable[[], Verifier]]) -> None:
        self._load = dict(verifiers)
        self._loaded: dict[IRProperty, Verifier] = {}

    def has(self, prop: IRProperty) -> bool:
        """Whether the property can be checked."""
        return prop in self._load

    def verify(self, properties: PropertySet, program: Program, context: PassContext) -> tuple[Diagnostic, ...]:
        """What contradicts the properties, in their declaration order."""
        found: list[Diagnostic] = []
        for prop in sorted(properties, key=lambda p: p.value):
            if prop in self._load:
                found.extend(self._verifier(prop)(program, context))
        return tuple(found)

    def _verifier(self, prop: IRProperty) -> Verifier:
        if prop not in self._loaded:
            self._loaded[prop] = self._load[prop]()
        return self._loaded[prop]


def errors_of(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Those that fail a verification."""
    return tuple(d for d in diagnostics if d.severity == "error")


class Verification:
    """The schedule of one run: structural properties at the input, then what each pass newly produces."""

    def __init__(self, registry: VerifierRegistry, context: PassContext, *, level: str) -> None:
        if level not in LEVELS:
            raise UserError("VER001", f"unknown verification level {level!r}", help=f"one of {', '.join(LEVELS)}")
        self.registry = registry
        self.context = context
        self.level = level
        self.verified: PropertySet = frozenset()

    def check_input(self, program: Program) -> None:
        """The user's program must be well formed; UserErrors with all that is not."""
        if self.level == "none":
            return
        wanted = STRUCTURAL & VERIFIED_BASIC
        self._refuse(program, wanted)
        self.verified = wanted

    def due(self, produces: PropertySet, invalidates: PropertySet) -> PropertySet:
        """What a pass with this contract must be checked for now; remembers it as verified."""
        if self.level == "none":
            return frozenset()
        self.verified -= invalidates
        due = (produces & VERIFIED_BASIC) - self.verified
        self.verified |= due
        return due

    def check(self, name: str, program: Program, properties: PropertySet) -> None:
        """The program must have some properties after a pass.

        Raises:
            UserErrors: it lacks one that only its author can give it.
            VerificationError: it lacks another one, so the pass is wrong.
        """
        self._refuse(program, properties & AUTHORED)
        found = errors_of(self.registry.verify(properties - AUTHORED, program, self.context))
        if found:
            heading = f"Verification failed after '{name}' for properties {names(properties)}:"
            raise VerificationError(f"{heading}\n{report(found)}", found)

    def _refuse(self, program: Program, properties: PropertySet) -> None:
        """Say everything that the author of the program has done wrong."""
        found = errors_of(self.registry.verify(properties, program, self.context))
        if found:
            raise UserErrors(tuple(UserError(_code(d), d.message, d.span, help=d.help) for d in found))


def _code(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.rule}-{diagnostic.error_code}" if diagnostic.error_code else diagnostic.rule


def report(diagnostics: Iterable[Diagnostic]) -> str:
    """The numbered report. Source: the layout that users' tooling reads (heading, totals, items, status)."""
    listed = tuple(diagnostics)
    errors = sum(d.severity == "error" for d in listed)
    warnings = sum(d.severity == "warning" for d in listed)
    lines = ["IR Verification Report", "=" * 22]
    lines += [f"Total diagnostics: {len(listed)} ({errors} errors, {warnings} warnings)", ""]
    for number, diagnostic in enumerate(listed, 1):
        lines.append(f"[{number}] {diagnostic.severity.upper()} - {diagnostic.rule}")
        lines.append(f"  Message: {diagnostic.message}")
        lines.append(f"  Location: {diagnostic.span}")
        lines += [f"  Error Code: {diagnostic.error_code}", ""]
    if errors:
        lines.append(f"Status: FAILED ({errors} error(s) found)")
    elif warnings:
        lines.append(f"Status: PASSED with {warnings} warning(s)")
    else:
        lines.append("Status: PASSED")
    return "\n".join(lines)
