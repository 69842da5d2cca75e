# SPDX-License-Identifier: Apache-2.0
"""Hooks register or observe, and every one of them is documented."""

from __future__ import annotations

import inspect

import pytest
import reference

HOOKS = reference.hooks()


def by_kind(*, registers: bool) -> list[object]:
    """The hooks of one kind, as parameters named for them."""
    return [pytest.param(hook, id=hook.name) for hook in HOOKS if hook.registers is registers]


def test_both_kinds_of_hooks_exist():
    assert {hook.registers for hook in HOOKS} == {True, False}


@pytest.mark.parametrize("hook", by_kind(registers=True))
def test_a_registering_hook_takes_nothing_and_returns_names(hook: reference.Hook):
    assert str(hook.signature) == "() -> 'Mapping[str, str]'"


@pytest.mark.parametrize("hook", by_kind(registers=False))
def test_an_observing_hook_takes_one_event_and_returns_nothing(hook: reference.Hook):
    assert list(hook.signature.parameters) == ["event"]
    assert hook.signature.return_annotation == "None"


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_a_hook_says_in_sentences_what_it_is_for(hook: reference.Hook):
    assert hook.doc.split()[0] == ("Name" if hook.registers else "Observe")
    assert hook.doc.rstrip("`").endswith(".")


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_a_hook_has_a_section_in_the_reference(hook: reference.Hook):
    page = (reference.ROOT / reference.PAGES / "hooks.md").read_text(encoding="utf-8")
    assert f"### {hook.name}\n" in page
    assert inspect.cleandoc(hook.doc).splitlines()[0] in page
