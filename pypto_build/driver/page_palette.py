# SPDX-License-Identifier: Apache-2.0
"""The colours of the pages that are written for a browser, light and dark as its reader has it."""

from __future__ import annotations

from typing import Final

PALETTE: Final = """\
:root {
  color-scheme: light dark;
  --back: #ffffff; --panel: #f5f6f8; --text: #1c2024; --faint: #60666d; --line: #d9dde2; --link: #0b5cad;
  --ins: #e3f6e6; --ins-mark: #a5e2b0; --del: #fde8e8; --del-mark: #f5b5b5; --plus: #1a7f37; --minus: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #16181b; --panel: #1f2226; --text: #e3e6e9; --faint: #9aa1a9; --line: #353a40; --link: #7ab7ff;
    --ins: #14301c; --ins-mark: #266638; --del: #3a1b1d; --del-mark: #7c2f33; --plus: #5fcf7d; --minus: #ff8f87;
  }
}"""
