# SPDX-License-Identifier: Apache-2.0
"""Options for all commands, exit statuses, and what starting costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pypto_build
from pypto_build.cli.dispatch import host_options
from pypto_build.host import HostOptions

HEAVY = (
    "re",
    "typing",
    "dataclasses",
    "numpy",
    "pydantic",
    "yaml",
    "pluggy",
    "argparse",
    "rich",
    "SCons",
    "pypto_passes",
    "pypto_build.errors",
)
LIST_COMMANDS = (
    "numpy",
    "pydantic",
    "yaml",
    "rich",
    "SCons",
    "importlib.metadata",
    "pypto_build.host.contracts",
    "pypto_build.host.events",
    "pypto_build.pipeline",
)
PLUGIN_MODULES = ("pypto_passes", "pypto_targets", "pypto_simulators")


def imported_by(*arguments: str) -> set[str]:
    code = (
        "import sys; from pypto_build.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nfinally:\n    print('\\n'.join(['modules:', *sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.partition("modules:")[2].split())


def plugin(tmp_path, text: str) -> str:
    path = tmp_path / "extra.py"
    path.write_text("from pypto_build.host import Command, hookimpl\n" + text)
    return str(path)


def command(body: str) -> str:
    return (
        "@hookimpl\ndef pypto_register_commands():\n    return {'extra': ':command'}\n"
        f"def run(arguments, host):\n    {body}\n"
        "command = Command('extra', 'do more', lambda parser: parser.add_argument('--n', type=int), run)\n"
    )


def test_version_imports_nothing_but_the_version():
    assert imported_by("--version") & set(HEAVY) == set()


@pytest.mark.parametrize("arguments", [["plugins"], ["plugins", "-v"], ["plugins", "--json"]])
def test_listing_plugins_imports_none_of_them_and_nothing_heavy(arguments):
    assert imported_by(*arguments) & {*LIST_COMMANDS, *PLUGIN_MODULES} == set()


def test_help_imports_nothing_heavy():
    assert imported_by("--help") & {"numpy", "pydantic", "rich", "SCons", *PLUGIN_MODULES} == set()


@pytest.mark.parametrize("arguments", [["--version"], ["-pno:pypto_passes", "--version"]])
def test_the_version_is_printed(run, arguments):
    assert run(*arguments).out == f"pypto-build {pypto_build.__version__}\n"


def test_help_lists_every_command_with_its_purpose(run):
    shown = run("--help")
    assert shown.status == 0
    assert "  plugins   list the plugins, their state and what they provide\n" in shown.out


def test_no_command_at_all_is_a_wrong_use(run):
    shown = run()
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith("usage: pypto-build ")


def test_an_unknown_command_suggests_a_near_one(run):
    shown = run("pipelines")
    assert shown.status == 2
    assert shown.err == "error[HOST007]: there is no command `pipelines`\n  help: did you mean `pipeline`?\n"


def test_an_unknown_option_is_a_wrong_use(run):
    assert run("--verbose", "plugins").err.startswith("error[CLI002]: `--verbose` is not an option for all commands\n")


def test_an_unknown_plugin_is_a_wrong_use(run):
    shown = run("-p", "never_installed", "plugins")
    assert (shown.status, shown.err) == (2, "-p: error[HOST001]: there is no plugin `never_installed`\n")


def test_a_plugin_adds_a_command(run, tmp_path):
    shown = run("-p", plugin(tmp_path, command("print(arguments.n); return 7")), "extra", "--n", "4")
    assert (shown.status, shown.out) == (7, "4\n")


def test_a_bug_is_shown_with_its_traceback_and_a_request(run, tmp_path):
    shown = run("-p", plugin(tmp_path, command("return 1 / 0")), "extra")
    assert shown.status == 70
    assert "ZeroDivisionError: division by zero" in shown.err
    assert shown.err.endswith("Please report it with everything from `Traceback` on.\n")


def test_an_interrupt_ends_with_its_own_status(run, tmp_path):
    shown = run("-p", plugin(tmp_path, command("raise KeyboardInterrupt")), "extra")
    assert (shown.status, shown.err) == (130, "interrupted\n")


def test_what_is_not_a_command_cannot_run(run, tmp_path):
    text = "@hookimpl\ndef pypto_register_commands():\n    return {'extra': 'json:dumps'}\n"
    shown = run("-p", plugin(tmp_path, text), "extra")
    assert shown.err.startswith("error[CLI003]: command `extra` of plugin `extra` is a function, not a Command")


def test_output_that_nobody_reads_ends_the_program_quietly():
    script = f"{sys.executable} -m pypto_build plugins -v | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode in (0, 141)  # 0 when the program ends before its reader


@pytest.mark.parametrize(
    ("flags", "environment", "expected"),
    [
        ([], {}, HostOptions()),
        (["a", "no:b"], {}, HostOptions(enable=("a",), block=("b",))),
        ([], {"PYPTO_BUILD_PLUGINS": "a, b c"}, HostOptions(allow=("a", "b", "c"))),
        ([], {"PYPTO_BUILD_PLUGINS": ""}, HostOptions(allow=())),
        ([], {"PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD": "1"}, HostOptions(autoload=False)),
        ([], {"PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD": "0"}, HostOptions()),
    ],
)
def test_flags_and_environment_say_which_plugins_there_are(flags, environment, expected):
    assert host_options(flags, environment) == expected
