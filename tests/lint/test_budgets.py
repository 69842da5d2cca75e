# SPDX-License-Identifier: Apache-2.0
"""The tree keeps its budgets, and each rule of `tools/budgets.py` finds what it is there to find."""

from __future__ import annotations

import budgets
import pytest

HEAD = f'{budgets.SPDX}\n"""What it is for."""\n'


def broken(rule: budgets.Rule, source: str, path: str = "pypto_build/room/module.py") -> list[str]:
    """What one rule says about one file."""
    return list(rule(budgets.Module.parse(path, source)))


@pytest.fixture(scope="module")
def tree() -> list[budgets.Module]:
    """Every file that has to keep the rules."""
    return list(budgets.modules(budgets.ROOT))


@pytest.mark.parametrize("rule", budgets.RULES, ids=lambda rule: rule.__name__)
def test_the_tree_keeps_the_rule(rule: budgets.Rule, tree: list[budgets.Module]):
    found = [sentence for module in tree for sentence in rule(module)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("folder", budgets.CODE)
def test_every_folder_of_code_is_looked_at(folder: str, tree: list[budgets.Module]):
    assert any(module.path.startswith(f"{folder}/") for module in tree)


def test_a_clean_file_breaks_no_rule():
    source = HEAD + "def double(x: int) -> int:\n    return 2 * x\n"
    assert [sentence for rule in budgets.RULES for sentence in broken(rule, source)] == []


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("x = 0\n" * 501, "pypto_build/room/module.py: 501 lines, at most 500"),
        ("def f():\n" + "    x = 0\n" * 60, "pypto_build/room/module.py:1: f has 61 lines, at most 60"),
        ("class C:\n" + "    x = 0\n" * 250, "pypto_build/room/module.py:1: C has 251 lines, at most 250"),
    ],
    ids=["file", "function", "class"],
)
def test_what_is_too_long_is_reported(source: str, sentence: str):
    assert broken(budgets.size, source) == [sentence]


def test_a_file_without_licence_line_and_purpose_is_reported():
    assert len(broken(budgets.first_lines, "import os\n")) == 2


def test_a_file_called_utils_is_reported():
    assert broken(budgets.file_name, HEAD, "pypto_build/ir/utils.py")


def test_a_loose_end_is_reported():
    assert broken(budgets.loose_ends, HEAD + "# " + "TO" + "DO: later\n")


@pytest.mark.parametrize("comment", ["type: ignore", "pyright: ignore[reportAny]", "noqa", "noqa: E501"])
def test_an_ignore_without_rule_and_reason_is_reported(comment: str):
    assert broken(budgets.reasoned_ignores, f"x = f()  # {comment}\n")


@pytest.mark.parametrize("comment", ["pyright: ignore[reportAny]: json gives nothing better", "noqa: E501 a long URL"])
def test_an_ignore_with_rule_and_reason_is_fine(comment: str):
    assert broken(budgets.reasoned_ignores, f"x = f()  # {comment}\n") == []


@pytest.mark.parametrize("statement", ["def f() -> int: ...", "cache = {}", "for x in y: pass", "class C: ..."])
def test_logic_in_an_init_is_reported(statement: str):
    assert broken(budgets.re_exports_only, statement, "pypto_build/room/__init__.py")


@pytest.mark.parametrize(
    "statement", ["from a import b", "__all__ = ['b']", "def __getattr__(name: str) -> object: ..."]
)
def test_a_re_export_in_an_init_is_fine(statement: str):
    assert broken(budgets.re_exports_only, statement, "pypto_build/room/__init__.py") == []


@pytest.mark.parametrize(
    "signature",
    ["f(x) -> int", "f(x: int)", "f(*x) -> int", "f(*, x) -> int", "f(x: Any) -> int", "f() -> dict[str, typing.Any]"],
)
def test_a_public_signature_with_a_gap_is_reported(signature: str):
    assert broken(budgets.annotated_signatures, f"def {signature}: ...\n")


def test_any_is_fine_where_a_comment_says_why():
    source = "# The specifier returns Any, as field() does.\ndef f() -> Any: ...\n"
    assert broken(budgets.annotated_signatures, source) == []


def test_any_is_fine_where_the_package_says_why():
    module = budgets.Module.parse("pypto_build/m.py", "def f(x: Any) -> int: ...\n", "# Any: SCons has no types.\n")
    assert list(budgets.annotated_signatures(module)) == []


def test_one_reason_serves_every_ignore_of_its_rule_in_a_file():
    source = "f()  # noqa: B010 set once per class\ng()  # noqa: B010\n"
    assert broken(budgets.reasoned_ignores, source) == []


def test_a_method_needs_no_annotation_for_self():
    assert broken(budgets.annotated_signatures, "class C:\n    def m(self, x: int) -> int: ...\n") == []


def test_private_functions_may_leave_annotations_out():
    assert broken(budgets.annotated_signatures, "def _f(x): ...\n") == []
