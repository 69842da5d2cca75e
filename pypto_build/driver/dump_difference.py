# SPDX-License-Identifier: Apache-2.0
"""The difference between two texts as rows of an HTML table: lines with their numbers, and what changed within them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape

_CONTEXT = 3  # lines around a change
_WORDS = re.compile(r"\w+|\s+|.")


@dataclass(frozen=True, slots=True)
class Difference:
    """The rows, and how many lines came and went."""

    rows: str
    added: int
    removed: int


def difference(before: str, after: str) -> Difference:
    """What must be done to one text to get the other."""
    old, new = before.splitlines(), after.splitlines()
    rows: list[str] = []
    added = removed = 0
    for number, group in enumerate(SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT)):
        if number:
            rows.append('<tr class="gap"><td></td><td></td><td>⋯</td></tr>')
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                pairs = zip(range(old_from, old_to), range(new_from, new_to), strict=True)
                rows += [_row("same", str(i + 1), str(j + 1), escape(old[i])) for i, j in pairs]
                continue
            removed, added = removed + old_to - old_from, added + new_to - new_from
            lines = old[old_from:old_to], new[new_from:new_to]
            rows += _changed(*lines, old_number=old_from + 1, new_number=new_from + 1)
    return Difference("\n".join(rows), added, removed)


def _row(kind: str, old: str, new: str, text: str) -> str:
    return f'<tr class="{kind}"><td>{old}</td><td>{new}</td><td>{text}</td></tr>'


def _changed(old: Sequence[str], new: Sequence[str], *, old_number: int, new_number: int) -> Iterator[str]:
    """The lines that went and came; where they are as many, in pairs in which what differs is marked."""
    if len(old) == len(new):
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            gone, come = _marked_line(one, other)
            yield _row("del", str(old_number + place), "", gone)
            yield _row("ins", "", str(new_number + place), come)
        return
    yield from (_row("del", str(number), "", escape(line)) for number, line in enumerate(old, old_number))
    yield from (_row("ins", "", str(number), escape(line)) for number, line in enumerate(new, new_number))


def _marked_line(old: str, new: str) -> tuple[str, str]:
    words, others = _WORDS.findall(old), _WORDS.findall(new)
    codes = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    gone = _joined((tag == "equal", words[i:j]) for tag, i, j, _, _ in codes)
    come = _joined((tag == "equal", others[i:j]) for tag, _, _, i, j in codes)
    return gone, come


def _joined(parts: Iterator[tuple[bool, list[str]]]) -> str:
    texts = ((same, escape("".join(words))) for same, words in parts)
    return "".join(text if same or not text else f"<mark>{text}</mark>" for same, text in texts)
