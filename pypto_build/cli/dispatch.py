# SPDX-License-Identifier: Apache-2.0
"""Options for all commands, then a command: the one place that catches errors and reads the environment.

Commands are contributions, found by name; only the module of the one that runs is imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pypto_build
from pypto_build.deep_stack import on_deep_stack
from pypto_build.errors import EXIT_INTERNAL_ERROR, EXIT_USER_ERROR, UserError, UserErrors, render, render_diagnostic

if TYPE_CHECKING:
    from pypto_build.host import Command, Contribution, HostOptions, PluginHost

PROGRAM = "pypto-build"
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
ALLOWED_PLUGINS = "PYPTO_BUILD_PLUGINS"
NO_AUTOLOAD = "PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD"

GC_THRESHOLD = 100_000  # the default makes building 129,000 nodes 2.4 times slower


def dispatch(arguments: list[str]) -> int:
    """Run one command; returns its exit status."""
    try:
        status = on_deep_stack(lambda: _run(arguments))
        sys.stdout.flush()  # here, where a reader that has gone can still be handled
        return status
    except UserError as error:
        print(render(error), file=sys.stderr)
        return EXIT_USER_ERROR
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough, as in `pypto-build ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except Exception:
        _report_bug()
        return EXIT_INTERNAL_ERROR


def host_options(plugins: Iterable[str], environment: Mapping[str, str]) -> HostOptions:
    """What `-p NAME`, `-p no:NAME` and the environment say about plugins."""
    from pypto_build.host import HostOptions

    allowed = environment.get(ALLOWED_PLUGINS)
    chosen = list(plugins)
    return HostOptions(
        enable=tuple(name for name in chosen if not name.startswith("no:")),
        block=tuple(name.removeprefix("no:") for name in chosen if name.startswith("no:")),
        allow=None if allowed is None else tuple(allowed.replace(",", " ").split()),
        autoload=environment.get(NO_AUTOLOAD, "") in ("", "0"),
    )


def prepare_interpreter() -> None:
    """The setting of the process that compiling is faster with; whoever embeds the compiler decides for itself."""
    import gc

    gc.set_threshold(GC_THRESHOLD, 20, 20)


def _run(arguments: list[str]) -> int:
    plugins: list[str] = []
    while arguments and arguments[0].startswith("-"):
        option = arguments.pop(0)
        match option:
            case "--version":
                print(f"{PROGRAM} {pypto_build.__version__}")
                return 0
            case "-h" | "--help":
                print(_help(_host(plugins)))
                return 0
            case "-p" if arguments:
                plugins.append(arguments.pop(0))
            case _ if option.startswith("-p") and len(option) > 2:
                plugins.append(option[2:])
            case _:
                what = "needs the name of a plugin" if option == "-p" else "is not an option for all commands"
                raise UserError("CLI002", f"`{option}` {what}", help=f"{PROGRAM} --help")
    if not arguments:
        print(_help(_host(plugins)), file=sys.stderr)
        return EXIT_USER_ERROR
    return _run_command(arguments[0], arguments[1:], host=_host(plugins))


def _host(plugins: list[str]) -> PluginHost:
    from pypto_build.host import PluginHost

    host = PluginHost(host_options(plugins, os.environ))
    if host.problems:
        raise UserErrors(host.problems)
    return host


def _run_command(name: str, arguments: list[str], *, host: PluginHost) -> int:
    import argparse

    from pypto_build.host import Kind, attributed

    contribution = host.find(Kind.COMMAND, name)
    command = _command(contribution, host)
    if name != "plugins":  # which shows the same in its list
        for warning in host.warnings:
            print(render_diagnostic(warning), file=sys.stderr)
    prepare_interpreter()
    parser = argparse.ArgumentParser(
        prog=f"{PROGRAM} {name}", description=f"{command.help[:1].upper()}{command.help[1:]}."
    )
    command.configure(parser)
    given = parser.parse_args(arguments)
    with attributed(contribution):
        return command.run(given, host)


def _command(contribution: Contribution, host: PluginHost) -> Command:
    from pypto_build.host import Command

    command = host.load(contribution)
    if not isinstance(command, Command):
        raise UserError("CLI003", f"{contribution} is a {type(command).__name__}, not a Command")
    return command


def _help(host: PluginHost) -> str:
    from pypto_build.host import Kind

    lines = [
        f"usage: {PROGRAM} [--version] [-h] [-p NAME] [-p no:NAME] COMMAND ...",
        "",
        "Compile PyPTO tile kernels, simulate them, and look at what was done.",
        "",
        "commands:",
    ]
    names = host.registry.names(Kind.COMMAND)
    width = max((len(name) for name in names), default=0)
    lines += [f"  {name.ljust(width)}  {_purpose(name, host)}" for name in names]
    lines += [
        "",
        "options for all commands:",
        "  -p NAME     load the installed plugin NAME, or the plugin in the file NAME",
        "  -p no:NAME  do without the plugin NAME",
        "",
        f"`{PROGRAM} COMMAND --help` says more about a command.",
    ]
    return "\n".join(lines)


def _purpose(name: str, host: PluginHost) -> str:
    from pypto_build.host import Kind

    try:
        return _command(host.find(Kind.COMMAND, name), host).help
    except UserError as error:
        return f"({error.message})"


def _report_bug() -> None:
    import traceback

    traceback.print_exc()
    print(
        f"\nThis is a bug in {PROGRAM} {pypto_build.__version__}, or in the plugin named above. Please report it with "
        "everything from `Traceback` on.",
        file=sys.stderr,
    )
