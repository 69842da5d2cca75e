# SPDX-License-Identifier: Apache-2.0
"""Observing hooks get the event; what goes wrong inside foreign code carries its owner's name and a reproducer."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from pypto_build.errors import UserError
from pypto_build.host import PluginHost, Report, attributed, events, hookspecs
from pypto_build.host.registry import REGISTERING_HOOKS

from .conftest import NO_BUILT_INS


def observing(write, text):
    return PluginHost(dataclasses.replace(NO_BUILT_INS, enable=(str(write("watch.py", text)),)))


def test_every_observer_gets_the_event(write):
    seen: list[str] = []
    text = "@hookimpl\ndef pypto_report(event):\n    event.facts['seen'](event.title)\n"
    observing(write, text).notify(Report("done", {"seen": seen.append}))
    assert seen == ["done"]


def test_facts_of_a_report_are_a_copy_that_nobody_can_change():
    facts = {"worst": [1.0], "by_name": {"add": [2]}}
    report = Report("simulate", facts)
    facts["worst"].append(3.0)
    assert report.facts["worst"] == (1.0,)
    for mapping in (report.facts, report.facts["by_name"]):
        with pytest.raises(TypeError):
            mapping["add"] = 1


def test_a_host_knows_whether_anybody_observes(write):
    assert observing(write, "@hookimpl\ndef pypto_report():\n    pass\n").is_observed
    assert not observing(write, "@hookimpl\ndef pypto_register_passes():\n    return {}\n").is_observed


def test_an_observer_may_leave_the_event_out(write):
    observing(write, "@hookimpl\ndef pypto_report():\n    pass\n").notify(Report("done", {}))


def test_an_observer_that_raises_is_named(write):
    host = observing(write, "@hookimpl\ndef pypto_report(event):\n    raise ValueError('no')\n")
    with pytest.raises(ValueError, match="no") as caught:
        host.notify(Report("done", {}))
    assert caught.value.__notes__ == ["raised in hook `pypto_report` of plugin `watch`"]


@pytest.mark.parametrize("event", events.OBSERVING_HOOKS, ids=lambda event: event.__name__)
def test_an_event_cannot_be_changed(event):
    assert event.__dataclass_params__.frozen
    assert hasattr(event, "__slots__")


@pytest.mark.parametrize("hook", [*events.OBSERVING_HOOKS.values(), *REGISTERING_HOOKS])
def test_every_hook_is_specified_and_documented(hook):
    assert len(inspect.getdoc(getattr(hookspecs, hook)) or "") > 20


def test_there_is_no_third_kind_of_hook():
    specified = {name for name in vars(hookspecs) if name.startswith("pypto_") and name != "pypto_build"}
    assert specified == {*events.OBSERVING_HOOKS.values(), *REGISTERING_HOOKS}


def test_a_failure_names_owner_function_and_reproducer():
    with pytest.raises(KeyError) as caught, attributed("pass `x`", function="f", reproduce=lambda: "rerun x"):
        raise KeyError("k")
    assert caught.value.__notes__ == ["raised in pass `x`, function `f`", "reproduce with: rerun x"]


def test_a_reproducer_that_fails_does_not_hide_the_failure():
    with pytest.raises(KeyError) as caught, attributed("pass `x`", reproduce=lambda: str(1 / 0)):
        raise KeyError("k")
    assert caught.value.__notes__[1] == "no reproducer was written: ZeroDivisionError: division by zero"


def test_wrong_input_is_not_the_contributions_fault():
    with pytest.raises(UserError) as caught, attributed("pass `x`"):
        raise UserError("code", "the input is wrong")
    assert not hasattr(caught.value, "__notes__")
