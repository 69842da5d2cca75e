# SPDX-License-Identifier: Apache-2.0
"""The project speaks only of itself: no paths of somebody's machine, no package index, nothing of how it was written.

`python tools/words.py` prints every place in the checked-in text that does.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# One letter in brackets keeps each pattern from finding itself.
FOREIGN = (
    ("a path of somebody's machine", re.compile(r"(?<![\w.{}~$])/(?:hom[e]|roo[t]|User[s]|wor[k]|tm[p])/")),
    ("a directory beside the repository", re.compile(r"\.\./share[d]\b")),
    ("a package index", re.compile(r"\bpyp[i]\.org|\bpythonhoste[d]\.org|--(?:extra-)?inde[x]-url|\bnpmj[s]\.com")),
    ("how it was written", re.compile(r"\b(?:subagen[t]|chatgp[t]|LL[M]s?|AI[-]generated|language mode[l])\b", re.I)),
)


def checked_in_texts(root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every file that git tracks or would track, without the binary ones."""
    git = ["git", "-C", str(root), "-c", "safe.directory=*"]
    arguments = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run([*git, *arguments], capture_output=True, text=True, check=True).stdout
    for name in sorted(filter(None, listed.split("\0"))):
        path = root / name
        if path.is_file() and b"\0" not in (content := path.read_bytes())[:4096]:
            yield name, content.decode("utf-8", errors="replace")


def foreign_words(name: str, text: str) -> Iterator[str]:
    """Each place in one text that speaks of something else than the project."""
    for number, line in enumerate(text.splitlines(), start=1):
        for kind, pattern in FOREIGN:
            if match := pattern.search(line):
                yield f"{name}:{number}: {kind}: {match[0]}"


def main() -> int:
    """Print every such place; exit status 1 when there is one."""
    found = [place for name, text in checked_in_texts(ROOT) for place in foreign_words(name, text)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
