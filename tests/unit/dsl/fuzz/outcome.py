# SPDX-License-Identifier: Apache-2.0
"""What the front end may do with a text: accept it, or say what is wrong with it and where. Never a third thing."""

from __future__ import annotations

import linecache
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from pypto_build.driver.load import load_source
from pypto_build.dsl.text import parse
from pypto_build.errors import Span, UserError, UserErrors, render
from pypto_build.ir.equal import assert_structural_equal

ROOT = str(Path(__file__).resolve().parents[4] / "pypto_build")
ANNOUNCED = ("is dropped", "deprecated", "auto-promoting")
"""What the language warns about on purpose: words of the warning."""


_ARITY = re.compile(r"\w+\(\) (missing|takes|got)")  # what Python says of a call with the wrong arguments


class ContractError(AssertionError):
    """The front end did a third thing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a text was accepted, and of which kind the refusal was."""

    accepted: bool
    kind: str = ""


def outcome(path: Path) -> Outcome:
    """Load a file as a build does, and hold it against the contract.

    Raises:
        ContractError: something other than a program that prints and parses back, or errors with a place and help.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            program = load_source(path).program
        except UserError as error:
            _check_error(error, path)
            return Outcome(False, error.code)
    for warning in caught:
        _check_warning(warning, path)
    again = parse(str(program))
    assert_structural_equal(program, again, enable_auto_mapping=True)
    return Outcome(True)


def _check_warning(warning: warnings.WarningMessage, path: Path) -> None:
    if issubclass(warning.category, SyntaxWarning):
        return  # Python's own, about its own syntax
    said = str(warning.message)
    if not any(word in said for word in ANNOUNCED) or warning.filename != str(path):
        raise ContractError(f"a warning: {warning.category.__name__}: {said} ({warning.filename})")


def _check_error(error: UserError, path: Path) -> None:
    for one in error.errors if isinstance(error, UserErrors) else (error,):
        _check_place(one.span, path, one)
        if not one.help:
            raise ContractError(f"no help: {render(one)}")
        if not one.message.strip() or one.message not in render(one):
            raise ContractError(f"no sentence: {render(one)}")
        _check_cause(one)


def _check_place(span: Span, path: Path, error: UserError) -> None:
    lines = path.read_text(encoding="utf-8").splitlines() or [""]
    if span.filename != str(path):
        raise ContractError(f"a place in {span.filename!r}: {render(error)}")
    if not 1 <= span.begin_line <= len(lines) + 1 or span.begin_column < 1:
        raise ContractError(f"no place: {render(error)}")
    if span.begin_line <= len(lines) and span.begin_column > len(lines[span.begin_line - 1]) + 1:
        raise ContractError(f"a place right of the line: {render(error)}")


def _check_cause(error: UserError) -> None:
    """A refusal that hides an exception which our code did not raise on purpose is a crash."""
    cause = error.__cause__
    trace = None if cause is None or isinstance(cause, UserError | SyntaxError) else cause.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_code.co_filename.startswith(ROOT):
        return
    if trace.tb_frame.f_code.co_name in ("build", "call") or error.message.startswith("Failed to evaluate"):
        return  # a Python function said it about its arguments
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    if not line.startswith("raise") and not _ARITY.match(str(cause)):
        raise ContractError(f"{type(cause).__name__}: {cause} at {line!r}: {render(error)}") from cause
