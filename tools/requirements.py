# SPDX-License-Identifier: Apache-2.0
"""Keep the `Tests:` lines of docs/reference/requirements in step with the tests that cite the requirements.

A test cites a requirement by naming it (for example NRO-1) in its docstring, in a comment or in the id of a parameter.
`python tools/requirements.py` reports what is out of step; `--write` refreshes the lines and shortens `uncited.txt`.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = Path("docs/reference/requirements")
UNCITED = DOCUMENTS / "uncited.txt"
PREFIXES = ("NRO", "CIC", "CIO", "MO", "SSA")
NO_TESTS = "none yet"

_NUMBER = rf"\b(?:{'|'.join(PREFIXES)})-\d+\b"
_CITATION = re.compile(_NUMBER)
_HEADING = re.compile(rf"^### ({_NUMBER})$")
# A range or an abbreviated list hides numbers from a search for them, so each number is spelled out.
_SHORTHAND = re.compile(
    rf"{_NUMBER}(?:"
    rf"\s*(?:\.\.+|[-\u2013\u2014]|\bto\b|\bthrough\b)\s*{_NUMBER}"  # a range between two numbers
    r"|(?:\.\.+|[-\u2013\u2014]|\s+to\s+|\s+through\s+|/)\d+"  # a range that leaves out the second prefix
    r"|(?:,\s*\d+\b)+(?=\s*[).;:]|\s*$))",  # a list that leaves out all prefixes but the first
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One numbered item: where its heading stands and which tests its page lists."""

    number: str
    page: Path
    heading_line: int
    tests_line: int
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """A number in a test file; `test` is None when no test function or test class encloses it."""

    number: str
    path: str
    line: int
    test: str | None


def read_requirements(root: Path) -> dict[str, Requirement]:
    """All numbered items of all pages, by number."""
    found: dict[str, Requirement] = {}
    for page in sorted((root / DOCUMENTS).glob("*.md")):
        for requirement in _read_page(page):
            if requirement.number in found:
                raise SystemExit(f"{page.name}: {requirement.number} is defined twice")
            found[requirement.number] = requirement
    return found


def _read_page(page: Path) -> list[Requirement]:
    lines = page.read_text(encoding="utf-8").splitlines()
    headings = [(index, match[1]) for index, line in enumerate(lines) if (match := _HEADING.match(line))]
    ends = [index for index, _ in headings[1:]] + [len(lines)]
    items: list[Requirement] = []
    for (start, number), end in zip(headings, ends, strict=False):
        at = [index for index in range(start, end) if lines[index].startswith("Tests:")]
        if len(at) != 1:
            raise SystemExit(f"{page.name}:{start + 1}: {number} needs exactly one `Tests:` line")
        items.append(Requirement(number, page, start + 1, at[0] + 1, _listed(lines[at[0]])))
    return items


def _listed(line: str) -> tuple[str, ...]:
    text = line.removeprefix("Tests:").strip()
    return () if text == NO_TESTS else tuple(part.strip().strip("`") for part in text.split(","))


def read_citations(root: Path) -> list[Citation]:
    """Every number in every test file."""
    return [citation for path, source in _test_files(root) for citation in citations_in(source, path)]


def _test_files(root: Path) -> list[tuple[str, str]]:
    """Path and text of every file below tests/, except for the tests of this very tool."""
    paths = [(path.relative_to(root).as_posix(), path) for path in sorted((root / "tests").rglob("*.py"))]
    return [(name, path.read_text(encoding="utf-8")) for name, path in paths if not name.startswith("tests/lint/")]


def citations_in(source: str, path: str) -> list[Citation]:
    """The numbers that one test file cites, each with the test around it."""
    lines = source.splitlines()
    cited = [(index + 1, match[0]) for index, line in enumerate(lines) for match in _CITATION.finditer(line)]
    if not cited:
        return []
    owners = _test_spans(ast.parse(source), path, lines)
    return [Citation(number, path, line, _owner(owners, line)) for line, number in cited]


def shorthand_in(source: str) -> list[str]:
    """Ranges and abbreviated lists of numbers, which are not citations of what they mean."""
    return [match[0] for match in _SHORTHAND.finditer(source)]


_Span = tuple[int, int, str]


def _test_spans(tree: ast.Module, path: str, lines: list[str]) -> list[_Span]:
    """First line, last line and id of each test function and test class, outermost first."""
    spans: list[_Span] = []
    pending: list[tuple[str, ast.stmt]] = [(path, node) for node in tree.body]
    while pending:
        prefix, node = pending.pop()
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not node.name.startswith(("test", "Test")):
            continue
        identity = f"{prefix}::{node.name}"
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        while first > 1 and lines[first - 2].lstrip().startswith("#"):
            first -= 1
        spans.append((first, node.end_lineno or node.lineno, identity))
        if isinstance(node, ast.ClassDef):
            pending += [(identity, child) for child in node.body]
    return spans


def _owner(spans: list[_Span], line: int) -> str | None:
    around = [span for span in spans if span[0] <= line <= span[1]]
    return min(around, key=lambda span: span[1] - span[0])[2] if around else None


def tests_by_number(citations: list[Citation]) -> dict[str, tuple[str, ...]]:
    """The tests that cite each number, sorted."""
    tests: dict[str, set[str]] = {}
    for citation in citations:
        if citation.test is not None:
            tests.setdefault(citation.number, set()).add(citation.test)
    return {number: tuple(sorted(names)) for number, names in tests.items()}


def read_uncited(root: Path) -> list[str]:
    """The checked-in list of numbers that no test cites yet."""
    return (root / UNCITED).read_text(encoding="utf-8").split()


def in_order(numbers: set[str]) -> list[str]:
    """Numbers by page and value: NRO-2 before NRO-10."""

    def order(number: str) -> tuple[int, int]:
        prefix, value = number.split("-")
        return PREFIXES.index(prefix), int(value)

    return sorted(numbers, key=order)


def problems(root: Path) -> list[str]:
    """What is out of step, one sentence each; empty when all is well."""
    requirements, citations = read_requirements(root), read_citations(root)
    tests = tests_by_number(citations)
    found = [
        f"{citation.path}:{citation.line}: no page defines {citation.number}"
        for citation in citations
        if citation.number not in requirements
    ]
    for number, requirement in requirements.items():
        if requirement.tests != tests.get(number, ()):
            found.append(f"{requirement.page.name}:{requirement.tests_line}: the tests listed for {number} are stale")
    for path, source in _test_files(root):
        found += [f"{path}: spell out each number instead of {text!r}" for text in shorthand_in(source)]
    found += _uncited_problems(set(requirements) - set(tests), set(read_uncited(root)))
    return found


def _uncited_problems(uncited: set[str], listed: set[str]) -> list[str]:
    lost, gained = in_order(uncited - listed), in_order(listed - uncited)
    found: list[str] = []
    if lost:
        found.append(f"no test cites {', '.join(lost)}; the list of uncited requirements may only get shorter")
    if gained:
        found.append(f"{UNCITED.name} still lists {', '.join(gained)}")
    return found


def write(root: Path) -> None:
    """Refresh every `Tests:` line and take what is cited by now out of the list of uncited numbers."""
    requirements, tests = read_requirements(root), tests_by_number(read_citations(root))
    for page in sorted({requirement.page for requirement in requirements.values()}):
        lines = page.read_text(encoding="utf-8").splitlines()
        for requirement in requirements.values():
            if requirement.page == page:
                names = [f"`{name}`" for name in tests.get(requirement.number, ())]
                lines[requirement.tests_line - 1] = f"Tests: {', '.join(names) or NO_TESTS}"
        _write_if_changed(page, lines)
    _write_if_changed(root / UNCITED, in_order(set(read_uncited(root)) - set(tests)))


def _write_if_changed(path: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main() -> int:
    """Report, or write with `--write`; exit status 1 when something is out of step."""
    parser = argparse.ArgumentParser(description="Check which tests cite which requirement.")
    parser.add_argument("--write", action="store_true", help="refresh the Tests lines and the list of uncited numbers")
    if parser.parse_args().write:
        write(ROOT)
    found = problems(ROOT)
    uncited, total = read_uncited(ROOT), len(read_requirements(ROOT))
    print("\n".join(found), end="\n" if found else "")
    print(f"{total - len(uncited)} of {total} requirements are cited; not yet: {', '.join(uncited) or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
