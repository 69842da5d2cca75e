# SPDX-License-Identifier: Apache-2.0
"""The page beside the dumped programs: what each pass changed, how long it took, and the program behind a fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from pypto_build.driver.dump_difference import Difference, difference
from pypto_build.driver.dump_template import PAGE
from pypto_build.driver.page_palette import PALETTE


@dataclass(frozen=True, slots=True)
class Stage:
    """The program at one point: its file, the pass that made it and what that is for, its text, and milliseconds."""

    file: str
    title: str
    about: str
    text: str
    cost_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class _Shown:
    """A stage with its number and the difference to the one before; none for the first, which is all new."""

    number: int
    stage: Stage
    difference: Difference | None

    @property
    def changed(self) -> bool:
        return self.difference is None or bool(self.difference.added or self.difference.removed)

    @property
    def anchor(self) -> str:
        return f"pass-{self.number}"


def page(name: str, stages: Sequence[Stage]) -> str:
    """One self-contained HTML file; `name` is that of the program."""
    befores = [None, *stages]
    shown = [
        _Shown(number, stage, difference(before.text, stage.text) if before is not None else None)
        for number, (before, stage) in enumerate(zip(befores, stages, strict=False))
    ]
    passes = shown[1:]
    total = sum(one.stage.cost_ms for one in passes)
    summary = f"{len(passes)} passes, {sum(one.changed for one in passes)} with changes, {total:.1f} ms"
    return PAGE.substitute(
        palette=PALETTE,
        name=escape(name or "program"),
        summary=summary,
        links="\n".join(_link(one) for one in shown),
        sections="\n".join(_sections(shown)),
    )


def _link(one: _Shown) -> str:
    kind = "" if one.changed else ' class="same"'
    return (
        f'<li{kind}><a href="#{one.anchor}"><span class="number">{one.number:02}</span> {escape(one.stage.title)}'
        f"{_counts(one)}</a></li>"
    )


def _counts(one: _Shown) -> str:
    """`+3 −1 0.8 ms`; nothing for the first."""
    found = one.difference
    if found is None:
        return ""
    lines = f'<span class="plus">+{found.added}</span> <span class="minus">&minus;{found.removed}</span> '
    return f' <span class="counts">{lines if one.changed else ""}{one.stage.cost_ms:.1f} ms</span>'


def _sections(shown: Sequence[_Shown]) -> Iterator[str]:
    """A section for each stage with changes; neighbours without are folded into one line."""
    changed = [one for one in shown if one.changed]
    places = {one.number: place for place, one in enumerate(changed)}
    for has_changes, group in groupby(shown, lambda one: one.changed):
        if has_changes:
            for one in group:
                place = places[one.number]
                yield _section(one, changed[place - 1 : place], changed[place + 1 : place + 2])
        else:
            same = list(group)
            names = ", ".join(one.stage.title for one in same)
            items = "\n".join(
                f'<li id="{one.anchor}">{_file(one)}{_counts(one)} {escape(one.stage.about)}</li>' for one in same
            )
            yield f'<details class="same"><summary>no change: {escape(names)}</summary><ul>{items}</ul></details>'


def _file(one: _Shown, title: str = "") -> str:
    return f'<a href="{escape(one.stage.file)}">{escape(title or f"{one.number:02} {one.stage.title}")}</a>'


def _section(one: _Shown, before: Sequence[_Shown], after: Sequence[_Shown]) -> str:
    walk = [
        f'<a class="{way}" href="#{to.anchor}">{way}</a>'
        for way, found in (("previous", before), ("next", after))
        for to in found
    ]
    rows = f"<table>{one.difference.rows}</table>" if one.difference is not None else ""
    opened = " open" if one.difference is None else ""
    return (
        f'<section id="{one.anchor}"><h2><span class="number">{one.number:02}</span> {escape(one.stage.title)}'
        f"{_counts(one)}<nav>{' '.join(walk)}</nav></h2>\n<p>{escape(one.stage.about)}</p>\n{rows}\n"
        f"<details{opened}><summary>whole program ({_file(one, one.stage.file)})</summary>"
        f"<pre>{escape(one.stage.text)}</pre></details></section>"
    )
