# SPDX-License-Identifier: Apache-2.0
"""Importing the user's Python files as they are now.

Python trusts a byte-code file by the time of its source in whole seconds and by its size. An edit may change neither,
and what is made of old code would then be stored under the key of the new.
"""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from types import CodeType


class FreshSourceLoader(SourceFileLoader):
    """Compiles the text each time; no byte-code file is read or written."""

    def get_code(self, fullname: str) -> CodeType:
        """See SourceFileLoader."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)
