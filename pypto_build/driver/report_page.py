# SPDX-License-Identifier: Apache-2.0
"""The page of a build: every object with its passes, those that ran in front, and the simulations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from string import Template
from typing import Final

from pypto_build.driver.build_report import ObjectReport, PassReport
from pypto_build.driver.page_palette import PALETTE
from pypto_build.store.chain import Status

_PAGE: Final = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$palette
* { box-sizing: border-box; }
body { max-width: 80rem; margin: 0 auto; padding: 1rem 2rem; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; }
p, .faint, tr.reused td { color: var(--faint); }
details { margin: .4rem 0; border: 1px solid var(--line); border-radius: .3rem; }
summary { display: flex; flex-wrap: wrap; gap: 0 1.5rem; padding: .3rem .8rem; background: var(--panel);
  cursor: pointer; }
summary b { flex: 1; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .1rem .8rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th:last-child, td:last-child { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
tr.ran td:nth-child(3) { color: var(--plus); font-weight: bold; }
</style>
</head>
<body>
<h1>$title</h1>
<p>$summary</p>
$objects
$simulations
</body>
</html>
""")


def report_page(title: str, objects: Sequence[ObjectReport], simulations: Sequence[Mapping[str, object]]) -> str:
    """One self-contained HTML file."""
    ran, reused = sum(one.ran for one in objects), sum(one.reused for one in objects)
    spent, saved = sum(one.spent_ms for one in objects), sum(one.saved_ms for one in objects)
    words = f"{len(objects)} objects: {ran} passes ran in {spent:.1f} ms, {reused} were reused and saved {saved:.1f} ms"
    return _PAGE.substitute(
        palette=PALETTE,
        title=escape(title),
        summary=words,
        objects="\n".join(_object(one) for one in objects),
        simulations=_simulations(simulations),
    )


def _object(report: ObjectReport) -> str:
    head = [
        f"<b>{escape(report.name)}</b>",
        f"<span>{report.outcome.value}</span>",
        f"<span>{report.ran} ran, {report.spent_ms:.1f} ms</span>",
        f"<span>{report.reused} reused, {report.saved_ms:.1f} ms saved</span>",
    ]
    open_ = " open" if report.ran else ""
    rows = [_pass(one) for one in report.passes]
    table = (
        _table(("pass", "function", "", "why", "time"), rows) if rows else '<p class="faint">no passes on record</p>'
    )
    return f"<details{open_}><summary>{''.join(head)}</summary>\n{table}\n</details>"


def _pass(one: PassReport) -> str:
    verb = "" if one.status is Status.RAN else " saved"
    cells = (one.pass_id, one.function or "(program)", one.status.value, one.why, f"{one.milliseconds:.2f} ms{verb}")
    return f'<tr class="{one.status.value}">{_cells(cells)}</tr>'


def _simulations(reports: Sequence[Mapping[str, object]]) -> str:
    if not reports:
        return ""
    names = ("name", "simulator", "outputs", "tolerance", "max_error")
    rows = [f"<tr>{_cells([str(report[name]) for name in names])}</tr>" for report in reports]
    return f"<h2>Simulated against NumPy</h2>\n{_table([name.replace('_', ' ') for name in names], rows)}"


def _table(head: Sequence[str], rows: Sequence[str]) -> str:
    names = "".join(f"<th>{name}</th>" for name in head)
    return "\n".join(["<table>", f"<tr>{names}</tr>", *rows, "</table>"])


def _cells(texts: Sequence[str]) -> str:
    return "".join(f"<td>{escape(text)}</td>" for text in texts)
