# SPDX-License-Identifier: Apache-2.0
"""Installed plugins: found only on demand, listed without being imported, blocked and allowed by name."""

from __future__ import annotations

import sys
import zipfile
from dataclasses import replace
from importlib import metadata

import pytest

from pypto_build.errors import UserError
from pypto_build.host import Kind, PluginHost, State
from pypto_build.host.entry_points import entry_points

from .conftest import NO_BUILT_INS, registering


def states(host):
    return {one.name: (one.state, one.reason) for one in host.survey()}


def test_an_installed_plugin_answers_for_a_name_nobody_else_has(install):
    install("extra", registering("passes", {"fold": "collections:OrderedDict"}))
    host = PluginHost(NO_BUILT_INS)
    contribution = host.find(Kind.PASS, "fold")
    assert contribution.provider == "extra"
    assert host.load(contribution).__name__ == "OrderedDict"


def test_listing_does_not_import_an_installed_plugin(install):
    module = install("extra", registering("passes", {"fold": "x:Y"}))
    (plugin,) = [one for one in PluginHost(NO_BUILT_INS).survey() if one.name == "extra"]
    assert [one.name for one in plugin.contributions] == ["fold"]
    assert (plugin.state, plugin.candidate.version, plugin.api) == (State.OK, "2.5", 1)
    assert module not in sys.modules


def test_names_that_are_computed_are_found_by_importing_the_plugin(install):
    install("extra", "@hookimpl\ndef pypto_register_passes():\n    return {'fo' + 'ld': 'collections:OrderedDict'}\n")
    assert PluginHost(NO_BUILT_INS).find(Kind.PASS, "fold").provider == "extra"


def test_an_installed_plugin_that_raises_harms_nothing_until_its_name_is_used(install):
    install("broken", registering("passes", {"fold": "x:Y"}) + "1 / 0\n")
    host = PluginHost(NO_BUILT_INS)
    host.survey()
    contribution = host.find(Kind.PASS, "fold")
    with pytest.raises(UserError, match="pass `fold` of plugin `broken` cannot be loaded: ZeroDivisionError"):
        host.load(contribution)


def test_an_installed_plugin_must_state_its_api(install):
    install("old", registering("passes", {"fold": "x:Y"}), api=None)
    reason = "it does not state the host API it needs (`PYPTO_BUILD_API = 1`)"
    assert states(PluginHost(NO_BUILT_INS))["old"] == (State.INCOMPATIBLE, reason)


def test_an_entry_point_without_a_module_is_broken(install):
    module = install("gone", "", file=False)
    assert states(PluginHost(NO_BUILT_INS))["gone"] == (State.BROKEN, f"there is no module `{module}`")


def test_an_installed_plugin_with_a_syntax_error_is_broken_and_says_where(install):
    module = install("bad", "def\n")
    state, reason = states(PluginHost(NO_BUILT_INS))["bad"]
    assert state is State.BROKEN
    assert reason.endswith(f"{module}.py:3: invalid syntax")


def test_two_distributions_with_one_plugin_name_are_both_refused(install):
    install("twin", registering("passes", {"fold": "x:Y"}), distribution="dist-one")
    install("twin", registering("passes", {"fold": "x:Y"}), distribution="dist-two")
    host = PluginHost(NO_BUILT_INS)
    reason = "distributions `dist-one` and `dist-two` both have a plugin of this name"
    assert [(one.state, one.reason) for one in host.survey() if one.name == "twin"] == [(State.DUPLICATE, reason)] * 2
    with pytest.raises(UserError, match="there is no pass `fold`"):
        host.find(Kind.PASS, "fold")


def test_an_installed_plugin_does_not_disturb_a_name_that_a_requested_plugin_owns(install):
    install("one", registering("passes", {"fold": "x:One"}))
    install("two", registering("passes", {"fold": "x:Two"}))
    host = PluginHost(replace(NO_BUILT_INS, enable=("two",)))
    host.survey()
    assert host.find(Kind.PASS, "fold").provider == "two"
    assert states(host)["one"] == (State.DUPLICATE, "pass `fold` is also provided by plugin `two`")


def test_enabling_a_plugin_imports_it(install):
    module = install("extra", "")
    assert PluginHost(replace(NO_BUILT_INS, enable=("extra",))).problems == ()
    assert module in sys.modules


def test_enabling_an_unknown_plugin_is_an_error_with_a_suggestion(install):
    install("extra", "")
    (problem,) = PluginHost(replace(NO_BUILT_INS, enable=("extar",))).problems
    assert (problem.message, problem.help) == ("there is no plugin `extar`", "did you mean `extra`?")


def test_blocking_an_unknown_plugin_is_an_error_with_a_suggestion(install):
    install("extra", "")
    (problem,) = PluginHost(replace(NO_BUILT_INS, block=("extar",))).problems
    assert (problem.message, problem.help) == ("there is no plugin `extar`", "did you mean `extra`?")


def test_a_blocked_plugin_is_not_imported_and_the_error_says_so(install):
    module = install("extra", registering("passes", {"fold": "x:Y"}))
    host = PluginHost(replace(NO_BUILT_INS, block=("extra",)))
    with pytest.raises(UserError) as caught:
        host.find(Kind.PASS, "fold")
    assert caught.value.help == "plugin `extra` 2.5, which provides it, is blocked (`-p no:extra`)"
    assert module not in sys.modules


def test_an_allow_list_blocks_what_it_does_not_name(install):
    install("extra", "")
    install("other", "")
    found = states(PluginHost(replace(NO_BUILT_INS, allow=("other",))))
    assert found["extra"] == (State.BLOCKED, "PYPTO_BUILD_PLUGINS does not list it")
    assert found["other"] == (State.OK, "")


def test_an_allow_list_that_names_an_unknown_plugin_is_an_error(install):
    install("extra", "")
    with pytest.raises(UserError, match="there is no plugin `extar`") as caught:
        PluginHost(replace(NO_BUILT_INS, allow=("extar",))).survey()
    assert caught.value.span.filename == "PYPTO_BUILD_PLUGINS"


def test_without_autoload_installed_plugins_are_used_only_when_enabled(install):
    install("extra", registering("passes", {"fold": "x:Y"}))
    silent = replace(NO_BUILT_INS, autoload=False)
    with pytest.raises(UserError, match="there is no pass `fold`"):
        PluginHost(silent).find(Kind.PASS, "fold")
    assert PluginHost(replace(silent, enable=("extra",))).find(Kind.PASS, "fold").provider == "extra"


@pytest.mark.parametrize("group", ["pypto_build", "console_scripts", "pytest11", "tox", "no_such_group"])
def test_entry_points_are_those_that_python_finds(install, group):
    install("extra", "")
    install("dotted", "", distribution="a.dotted-name")
    expected = {(one.name, one.value, one.dist.name, one.dist.version) for one in metadata.entry_points(group=group)}
    found = [(one.name, one.value, one.distribution, one.version) for one in entry_points(group)]
    assert (set(found), len(found)) == (expected, len(expected))


def test_of_two_versions_of_a_distribution_the_first_on_the_path_counts(install):
    first, second = install("extra", ""), install("extra", "")
    assert first != second
    assert [one.value for one in entry_points("pypto_build") if one.name == "extra"] == [second]


def test_python_is_asked_where_the_module_path_has_an_archive(install, monkeypatch, tmp_path):
    module = install("extra", "")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
        archive.writestr("packed-1.0.dist-info/entry_points.txt", "[pypto_build]\npacked = module\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    found = {(one.name, one.value, one.version) for one in entry_points("pypto_build")}
    assert {("extra", module, "2.5"), ("packed", "module", "1.0")} <= found


def test_what_takes_part_unnamed_is_in_use_only_when_its_plugin_is(install):
    install("extra", registering("ops", {"tile.extra": "x:Y"}) + registering("passes", {"fold": "json:dumps"}))
    host = PluginHost(NO_BUILT_INS)
    host.survey()
    assert host.names_in_use(Kind.OP) == ()
    host.load(host.find(Kind.PASS, "fold"))
    assert host.names_in_use(Kind.OP) == ("tile.extra",)
    assert PluginHost(replace(NO_BUILT_INS, enable=("extra",))).names_in_use(Kind.OP) == ("tile.extra",)


def test_a_name_that_is_known_needs_no_scan(monkeypatch, write):
    monkeypatch.setattr("pypto_build.host.inventory.installed_candidates", lambda: pytest.fail("scanned"))
    path = write("mine.py", registering("passes", {"fold": ":X"}))
    host = PluginHost(replace(NO_BUILT_INS, enable=(str(path),)))
    assert host.find(Kind.PASS, "fold").provider == "mine"
