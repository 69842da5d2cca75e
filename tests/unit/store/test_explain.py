# SPDX-License-Identifier: Apache-2.0
"""Why a pass ran: this run's chain against the last one's."""

from __future__ import annotations

from pypto_build.store.chain import ChainEntry, ChainRecord, Status
from pypto_build.store.explain import explain_chain, headline
from pypto_build.store.key import Key


def entry(
    step: str, function: str = "f", *, level: int = 1, status: Status = Status.RAN, reason: str = ""
) -> ChainEntry:
    key = Key("pass", (("pass", step), ("options", {"level": level})))
    return ChainEntry(
        step, function, key.digest, key.components, "1" * 64, "2" * 64, status, reason=reason, cost_ms=2.0
    )


def chain(*entries: ChainEntry) -> ChainRecord:
    return ChainRecord("a.py", entries)


def reasons(old: ChainRecord | None, new: ChainRecord) -> list[str]:
    return [function.reason for one in explain_chain(old, new) for function in one.functions]


def test_a_first_run_has_nothing_to_compare_with():
    assert reasons(None, chain(entry("fold"))) == ["no earlier run is on record"]


def test_a_changed_component_is_named_with_both_values():
    (explained,) = explain_chain(chain(entry("fold", level=1)), chain(entry("fold", level=2)))
    assert str(explained.difference) == "options.level: 1 -> 2"
    assert explained.functions[0].reason == "options.level changed"


def test_a_new_pass_and_a_new_function_are_told_from_a_change():
    new = chain(entry("fold"), entry("split"), entry("fold", "g"))
    said = "the last run had no such pass on this function"
    assert reasons(chain(entry("fold", status=Status.REUSED)), new)[1:] == [said, said]


def test_a_run_under_the_same_key_says_that_the_result_was_gone():
    assert reasons(chain(entry("fold")), chain(entry("fold"))) == ["same key, but its result was not in the store"]


def test_a_reused_result_says_where_it_came_from():
    new = chain(entry("fold", status=Status.REUSED))
    assert reasons(chain(entry("fold")), new) == ["same key as in the last run"]
    assert reasons(chain(entry("fold", level=9)), new) == ["found in the store"]


def test_a_reason_given_by_the_run_itself_counts():
    assert reasons(None, chain(entry("fold", reason="checked again (build 3)"))) == ["checked again (build 3)"]


def test_a_pass_counts_as_run_if_it_ran_on_any_function():
    new = chain(entry("fold", "f", status=Status.REUSED), entry("fold", "g"), entry("split", status=Status.REUSED))
    fold, split = explain_chain(None, new)
    assert (fold.status, split.status) == (Status.RAN, Status.REUSED)
    assert (fold.saved_ms, fold.spent_ms, split.saved_ms, split.spent_ms) == (2.0, 2.0, 2.0, 0)


def test_the_headline_counts_names_and_gives_the_first_difference():
    old = chain(entry("fold", level=1), entry("split"))
    new = chain(entry("fold", level=2), entry("split", status=Status.REUSED))
    assert headline(explain_chain(old, new)) == (
        "1/2 passes reused; ran: fold; first difference: options.level: 1 -> 2"
    )


def test_the_headline_of_a_build_without_work_is_short():
    assert headline(explain_chain(None, chain(entry("fold", status=Status.REUSED)))) == "1/1 passes reused"


def test_the_headline_names_a_few_passes_and_counts_the_rest():
    passes = explain_chain(None, chain(*(entry(f"p{number}") for number in range(11))))
    assert headline(passes) == "0/11 passes reused; ran: p0, p1, p2, p3, p4, p5, p6, p7 and 3 more"
