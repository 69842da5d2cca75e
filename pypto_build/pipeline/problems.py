# SPDX-License-Identifier: Apache-2.0
"""The sink of everything that is wrong with a pipeline, so that all of it is reported at once."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Span, UserError, UserErrors


class Problems:
    """Collects errors; `raise_all` raises them together, file by file and from top to bottom.

    An error in a file that another one extends gets a note for each `extends` that leads to it.
    """

    def __init__(self) -> None:
        self._found: list[UserError] = []
        self._extended: dict[str, Span] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, error: UserError) -> None:
        """Add one; several errors in one are taken apart."""
        self.extend(error.errors if isinstance(error, UserErrors) else (error,))

    def extend(self, errors: Iterable[UserError]) -> None:
        """Add several."""
        self._found += errors

    def extended_at(self, filename: str, span: Span) -> None:
        """Remember the `extends` that leads to a file."""
        self._extended[filename] = span

    def raise_all(self) -> None:
        """Raise what was found, if anything was."""
        if not self._found:
            return
        files = list(dict.fromkeys(error.span.filename for error in self._found))
        self._found.sort(key=lambda one: (files.index(one.span.filename), one.span.begin_line, one.span.begin_column))
        errors = tuple(map(self._with_origin, self._found))
        raise errors[0] if len(errors) == 1 else UserErrors(errors)

    def _with_origin(self, error: UserError) -> UserError:
        notes = list(error.notes)
        filename = error.span.filename
        while filename in self._extended:
            span = self._extended[filename]
            notes.append((f"{filename} is extended here", span))
            filename = span.filename
        if len(notes) == len(error.notes):
            return error
        return UserError(error.code, error.message, error.span, help=error.help, notes=tuple(notes))
