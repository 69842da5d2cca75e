# SPDX-License-Identifier: Apache-2.0
"""Checks: what is worth a warning about a likely mistake, or a hint about speed, and does not stop the build.

A check looks at one function at a time, so that what it found is kept with the function and said again without looking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from pypto_build.errors import UNKNOWN_SPAN, Diagnostic, Span
from pypto_build.ir import Function
from pypto_build.passes.context import PassContext


class Phase(StrEnum):
    """When a check looks: before the first pass, after each pass, after the last pass."""

    PRE_PIPELINE = "pre_pipeline"
    POST_PASS = "post_pass"
    POST_PIPELINE = "post_pipeline"


class Severity(StrEnum):
    """Whether the program is likely wrong, or likely slow."""

    WARNING = "warning"
    PERF_HINT = "perf_hint"


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence, its place, and what to do about it."""

    message: str
    span: Span = UNKNOWN_SPAN
    help: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A check: its name in CamelCase, when it looks, and how it finds something in one function.

    code is the public code of a hint, reads names the context facts that `find` looks at (they are part of the key of
    what is kept), on says whether it looks unless somebody asks for it.
    """

    name: str
    phase: Phase
    find: Callable[[Function, PassContext], Iterable[Finding]]
    severity: Severity = Severity.WARNING
    code: str = ""
    reads: tuple[str, ...] = ()
    on: bool = True

    @property
    def shown(self) -> str:
        """What stands in the brackets of its messages."""
        return self.code or self.name

    def diagnostics(self, function: Function, context: PassContext) -> tuple[Diagnostic, ...]:
        """What it finds, with rule and code."""
        found = self.find(function, context.restricted(self.reads))
        return tuple(Diagnostic(self.severity, self.name, f.message, f.span, self.code, help=f.help) for f in found)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which diagnostics are wanted. A name is a rule in CamelCase or snake_case, or a code."""

    disabled: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()

    def then(self, disabled: Iterable[str], enabled: Iterable[str]) -> Selection:
        """The same with further names, which count where both speak of one."""
        off, on = tuple(disabled), tuple(enabled)
        return Selection((*_without(self.disabled, on), *off), (*_without(self.enabled, off), *on))

    def wants(self, check: Check) -> bool:
        """Whether a check shall look."""
        if _named(self.disabled, check.name, check.code):
            return False
        return check.on or _named(self.enabled, check.name, check.code)

    def keeps(self, diagnostic: Diagnostic) -> bool:
        """Whether something that was said reaches the user; an error always does."""
        return diagnostic.severity == "error" or not _named(self.disabled, diagnostic.rule, diagnostic.code)


def _without(names: tuple[str, ...], taken: Iterable[str]) -> tuple[str, ...]:
    others = {plain_name(name) for name in taken}
    return tuple(name for name in names if plain_name(name) not in others)


def _named(names: Iterable[str], rule: str, code: str) -> bool:
    given = {plain_name(name) for name in names}
    return plain_name(rule) in given or (code != "" and plain_name(code) in given)


def plain_name(name: str) -> str:
    """`UnusedVariable` and `unused_variable` are one name."""
    return name.replace("_", "").replace("-", "").lower()
