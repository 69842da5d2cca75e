# SPDX-License-Identifier: Apache-2.0
"""Writing results: whole or not at all, and not when they are there already."""

from __future__ import annotations

import os
import tempfile

from pypto_build.errors import Span, UserError


def write_if_changed(path: str, content: bytes) -> bool:
    """Put content at a path by one rename; False when the file holds just that already.

    Raises:
        UserError: the place cannot be written.
    """
    try:
        with open(path, "rb") as file:
            if file.read() == content:
                return False
    except OSError:
        pass  # not there, or not readable: the rename decides
    directory = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(directory, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".pto-", dir=directory)
    except OSError as error:
        raise _cannot(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise _cannot(path, error) from error
    return True


def _cannot(path: str, error: OSError) -> UserError:
    return UserError("OUT001", f"cannot write {path}: {error.strerror}", Span(path, -1, -1))
