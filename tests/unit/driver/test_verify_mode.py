# SPDX-License-Identifier: Apache-2.0
"""Store mode `verify`: everything is made again and compared with what is stored."""

from __future__ import annotations

from .conftest import RestlessTree


def test_every_pass_runs_again_although_its_result_is_stored(tree: RestlessTree) -> None:
    again = tree.build("verify")
    assert again.passes_run == again.passes_total > 0


def test_the_same_results_are_no_news(tree: RestlessTree) -> None:
    assert tree.build("verify").messages == ()


def test_a_pass_whose_result_differs_is_named_with_the_function(tree: RestlessTree) -> None:
    tree.turn("2")
    (message,) = tree.build("verify").messages
    assert "pass restless made another result of double than the one in the store" in message
