# SPDX-License-Identifier: Apache-2.0
"""Comments and docstrings that travel with the statement they lead."""

import pytest

from pypto_build.dsl.comments import extract_line_comments
from pypto_build.dsl.text import parse
from pypto_build.ir import ForStmt, IfStmt, ReturnStmt, collect, statements

HEAD = "@pl.function\ndef f(n: pl.Scalar[pl.INT64]):\n"


def _comments(body):
    return [stmt.leading_comments for stmt in statements(parse(HEAD + body).body)]


def test_a_comment_is_found_with_its_column_and_without_its_mark():
    assert extract_line_comments("x = 1  # note\n## more\n") == {1: [(7, "note")], 2: [(0, "# more")]}


def test_a_comment_above_and_one_behind_lead_the_same_statement():
    assert _comments("    # above\n    m = n  # behind\n    return m\n") == [("above", "behind"), ()]


def test_a_docstring_leads_the_first_statement():
    assert _comments('    """One.\n\n    Two."""\n    # three\n    return n\n') == [("One.", "", "Two.", "three")]


def test_a_hash_in_a_string_is_no_comment():
    assert _comments('    pl.static_assert(True, "a # b")\n    return n\n') == [()]


def test_comments_inside_a_wrapped_header_belong_to_the_loop():
    function = parse(HEAD + "    for i in pl.range(\n        4,  # four\n    ):\n        # inner\n        m = n + i\n")
    (loop,) = collect(function, ForStmt)
    assert loop.leading_comments == ("four",)
    assert loop.body.leading_comments == ("inner",)


def test_a_comment_before_else_leads_the_else_branch():
    body = "    if n > 0:\n        m = n\n    # other\n    else:\n        # really\n        m = n + 1\n"
    (branch,) = collect(parse(HEAD + body), IfStmt)
    assert branch.else_body.leading_comments == ("other", "really")


def test_a_comment_at_the_end_of_a_block_is_dropped_with_a_warning():
    body = "    for i in pl.range(4):\n        m = n + i\n        # tail\n"
    body += "    for j in pl.range(4):\n        # kept\n        m = n\n    return m\n"
    with pytest.warns(UserWarning, match="tail-of-block comment on line 5"):
        function = parse(HEAD + body)
    assert collect(function, ForStmt)[1].body.leading_comments == ("kept",)
    assert collect(function, ReturnStmt)[0].leading_comments == ()
