# SPDX-License-Identifier: Apache-2.0
"""Running something on a stack that is large enough for deep recursion."""

from __future__ import annotations

import json
import sys

import pytest

from pypto_build.deep_stack import on_deep_stack

DEEP = 20_000


def depth(levels: int) -> int:
    return 0 if levels == 0 else 1 + depth(levels - 1)


def test_the_result_is_handed_back() -> None:
    assert on_deep_stack(lambda: depth(DEEP)) == DEEP


def test_c_code_may_recurse_as_deep() -> None:
    nested = on_deep_stack(lambda: json.loads("[" * DEEP + "]" * DEEP))
    assert isinstance(nested, list)


def test_an_error_is_raised_where_one_waits() -> None:
    with pytest.raises(ZeroDivisionError):
        on_deep_stack(lambda: 1 / 0)


def test_an_exit_is_an_exit() -> None:
    def leave() -> None:
        sys.exit(3)

    with pytest.raises(SystemExit, match="3"):
        on_deep_stack(leave)


def test_the_limit_is_as_before() -> None:
    before = sys.getrecursionlimit()
    on_deep_stack(lambda: None)
    assert sys.getrecursionlimit() == before
