# SPDX-License-Identifier: Apache-2.0
"""Who provides a name, what an unknown one says, and that nothing is imported before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pypto_build import host
from pypto_build.errors import Span, UserError
from pypto_build.host import HostOptions, Kind, PluginHost, PluginRequest, Report, State

from .conftest import NO_BUILT_INS, registering

PLACE = Span("pipeline.yaml", 4, 5)


def local_host(*paths, replacements=None, options=NO_BUILT_INS):
    return PluginHost(
        options, tuple(PluginRequest(str(path), PLACE) for path in paths), replacements=replacements or {}
    )


def test_importing_the_host_imports_nothing_heavy():
    code = (
        "import sys, pypto_build.host; "
        "heavy = {'numpy', 'pydantic', 'yaml', 'rich', 'pypto_passes', 'pypto_targets', 'pypto_build.cli'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_a_local_plugin_provides_a_class_of_its_own_file(write):
    path = write("mine.py", registering("passes", {"fold": ":Fold"}) + "class Fold: pass\n")
    host = local_host(path)
    contribution = host.find(Kind.PASS, "fold")
    assert contribution.provider == "mine"
    assert host.load(contribution).__name__ == "Fold"


def test_a_local_plugin_may_call_itself_by_its_file_name(write):
    path = write("mine.py", registering("passes", {"fold": "mine:Fold"}) + "class Fold: pass\n")
    host = local_host(path)
    assert host.load(host.find(Kind.PASS, "fold")).__name__ == "Fold"


def test_a_local_package_provides_a_class_of_one_of_its_modules(write):
    package = write("package/__init__.py", registering("passes", {"fold": ".fold:Fold"})).parent
    write("package/fold.py", "class Fold: pass\n")
    host = local_host(package)
    assert host.load(host.find(Kind.PASS, "fold")).__name__ == "Fold"


def test_a_contribution_is_loaded_once(write):
    path = write("mine.py", registering("passes", {"fold": ":Fold"}) + "class Fold: pass\n")
    host = local_host(path)
    contribution = host.find(Kind.PASS, "fold")
    assert host.load(contribution) is host.load(contribution)


def test_an_edited_local_plugin_is_loaded_anew_in_the_same_process(write):
    text = registering("passes", {"fold": ":Fold"}) + "class Fold: size = 1\n"
    path = write("mine.py", text)
    before = local_host(path)
    write("mine.py", text.replace("size = 1", "size = 2"))
    after = local_host(path)
    assert before.load(before.find(Kind.PASS, "fold")).size == 1
    assert after.load(after.find(Kind.PASS, "fold")).size == 2


def test_an_unknown_name_suggests_a_near_one(write):
    host = local_host(write("mine.py", registering("passes", {"canonicalize_io_order": ":X"})))
    with pytest.raises(UserError, match="there is no pass `canonicalise_io_order`") as caught:
        host.find(Kind.PASS, "canonicalise_io_order", span=PLACE)
    assert caught.value.code == "HOST007"
    assert caught.value.help == "did you mean `canonicalize_io_order`?"
    assert caught.value.span == PLACE


def test_two_providers_of_one_name_are_an_error_that_names_both(write):
    first = write("first.py", registering("passes", {"fold": ":X"}))
    second = write("second.py", registering("passes", {"fold": ":X"}))
    with pytest.raises(UserError, match="`fold` is provided by plugin `first` and plugin `second`") as caught:
        local_host(first, second).find(Kind.PASS, "fold", span=PLACE)
    assert caught.value.help == "say in the pipeline which one counts: `replace: {fold: second}`"


def test_a_plugin_whose_name_clashes_is_shown_as_a_duplicate(write):
    first = write("first.py", registering("passes", {"fold": ":X"}))
    second = write("second.py", registering("passes", {"fold": ":X", "other": ":Y"}))
    shown = {one.name: (one.state, one.reason) for one in local_host(first, second).plugins()}
    assert shown["second"] == (State.DUPLICATE, "pass `fold` is also provided by plugin `first`")


def test_replace_says_which_provider_counts(write):
    first = write("first.py", registering("passes", {"fold": ":X"}))
    second = write("second.py", registering("passes", {"fold": ":X"}))
    host = local_host(first, second, replacements={"fold": "second"})
    assert host.find(Kind.PASS, "fold").provider == "second"
    assert all(one.state is State.OK for one in host.plugins())


def test_a_missing_local_plugin_is_a_problem_at_the_line_that_asks(write):
    write("mine.py", "")
    path = str(write("mine.py", "")).replace("mine.py", "mien.py")
    (problem,) = local_host(path).problems
    assert (problem.code, problem.span, problem.help) == ("HOST001", PLACE, "did you mean `mine.py`?")


def test_a_local_plugin_that_raises_is_a_problem_with_the_line_that_raised(write):
    path = write("mine.py", "1 / 0\n")
    (problem,) = local_host(path).problems
    assert problem.message == "plugin `mine` cannot be loaded: ZeroDivisionError: division by zero"
    assert problem.notes == (("it was raised here", Span(str(path), 2, 1)),)


def test_a_contribution_that_cannot_be_imported_names_plugin_and_place(write):
    host = local_host(write("mine.py", registering("passes", {"fold": "no_such_module_here:Fold"})))
    with pytest.raises(UserError) as caught:
        host.load(host.find(Kind.PASS, "fold"), span=PLACE)
    assert caught.value.message == (
        "pass `fold` of plugin `mine` cannot be loaded: ModuleNotFoundError: No module named 'no_such_module_here'"
    )
    assert caught.value.span == PLACE


def test_a_plugin_for_another_host_api_is_refused(write):
    (problem,) = local_host(write("mine.py", "PYPTO_BUILD_API = 7\n")).problems
    assert problem.code == "HOST004"
    assert problem.message == "plugin `mine` cannot be loaded: it needs host API 7, and this host has API 1"


def test_a_hook_that_nobody_calls_is_refused_with_a_suggestion(write):
    (problem,) = local_host(write("mine.py", "@hookimpl\ndef pypto_register_pases():\n    return {}\n")).problems
    assert "there is no hook `pypto_register_pases`; did you mean `pypto_register_passes`?" in problem.message


def test_a_hook_with_an_unknown_argument_is_refused(write):
    (problem,) = local_host(write("mine.py", "@hookimpl\ndef pypto_report(evnt):\n    pass\n")).problems
    assert "evnt" in problem.message


def test_a_hook_without_its_marker_is_refused_instead_of_passed_over(write):
    (problem,) = local_host(write("mine.py", "def pypto_register_passes():\n    return {}\n")).problems
    assert problem.message == "plugin `mine` cannot be loaded: `pypto_register_passes` lacks `@hookimpl`"


def test_a_registering_hook_must_return_references(write):
    (problem,) = local_host(write("mine.py", registering("passes", {"fold": "Fold"}))).problems
    assert "pass 'fold' is 'Fold', not a text of the form 'module:attribute'" in problem.message


def test_a_plugin_that_exits_on_import_does_not_end_the_program(write):
    (problem,) = local_host(write("mine.py", "raise SystemExit(3)\n")).problems
    assert problem.message == "plugin `mine` cannot be loaded: SystemExit: 3"


def test_two_local_plugins_of_one_name_are_an_error_that_names_both(write):
    first, second = write("a/mine.py", ""), write("b/mine.py", "")
    (problem,) = local_host(first, second).problems
    assert problem.message == f"two plugins are called `mine`: `{first}` and `{second}`"


def test_asking_twice_for_the_same_plugin_is_fine(write):
    path = write("mine.py", "")
    assert local_host(path, path).problems == ()


def test_a_broken_built_in_plugin_is_a_warning():
    host = PluginHost(HostOptions(built_in=(("core", "no_such_module_here"),)))
    (warning,) = host.warnings
    assert warning.message == "plugin `core` is broken: ModuleNotFoundError: No module named 'no_such_module_here'"
    assert host.problems == ()


def test_a_broken_plugin_is_mentioned_when_a_name_is_unknown():
    host = PluginHost(HostOptions(built_in=(("core", "no_such_module_here"),), autoload=False))
    with pytest.raises(UserError) as caught:
        host.find(Kind.PASS, "fold")
    assert caught.value.help == "`pypto-build plugins` says why these could not be loaded: `core`"


def test_every_name_of_the_host_can_be_imported():
    assert sorted(vars(host)["_HOME"]) == host.__all__
    assert all(getattr(host, name) is not None for name in host.__all__)


def test_a_name_that_the_host_does_not_have_is_no_attribute():
    with pytest.raises(AttributeError, match="has no attribute"):
        _ = host.Plugins


def test_built_in_plugins_are_known_by_their_text_until_a_name_is_used():
    code = (
        "import sys; from pypto_build.host import Kind, PluginHost; host = PluginHost()\n"
        "found = host.find(Kind.PASS, 'simplify'); print([n for n in sys.modules if n.startswith('pypto_p')])\n"
        "host.load(found); print('pypto_passes.plugin' in sys.modules, 'pypto_targets' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["[]", "True", "False"]


def test_a_built_in_plugin_that_observes_is_imported_at_once(write, monkeypatch):
    path = write("watching_plugin.py", "@hookimpl\ndef pypto_report(event):\n    event.facts['seen'](event.title)\n")
    monkeypatch.syspath_prepend(str(path.parent))
    seen: list[str] = []
    PluginHost(HostOptions(built_in=(("watching", "watching_plugin"),))).notify(Report("done", {"seen": seen.append}))
    assert seen == ["done"]
