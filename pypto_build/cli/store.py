# SPDX-License-Identifier: Apache-2.0
"""`pypto-build store`: what the store holds, keeping it small, checking it, emptying it."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict

from pypto_build.host.command import Command
from pypto_build.host.manager import PluginHost
from pypto_build.store.gc import collect
from pypto_build.store.inspection import Amount, clear, stats, verify_all
from pypto_build.store.layout import StoreLayout, check_owner
from pypto_build.store.limits import show_size, store_limits
from pypto_build.store.location import store_location

EXIT_BAD_ENTRIES = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The four actions, each with the place of the store and `--json`."""
    actions = parser.add_subparsers(dest="store_action", required=True, metavar="ACTION")
    for name, (_, purpose) in _ACTIONS.items():
        action = actions.add_parser(name, help=purpose, description=purpose)
        action.add_argument("--store", metavar="DIR", help="the store (default: PYPTO_BUILD_STORE or the user's cache)")
        action.add_argument("--json", action="store_true", help="print one JSON object")
        if name == "gc":
            action.add_argument("--max-size", metavar="SIZE", help="such as 500M (default: 5GiB)")
            action.add_argument("--max-age", metavar="AGE", help="such as 12h (default: 30d)")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked and print it; 1 when `verify` found bad entries."""
    layout = StoreLayout(store_location(os.environ, arguments.store))
    check_owner(layout)
    work, _ = _ACTIONS[arguments.store_action]
    status, facts, text = work(layout, arguments)
    print(json.dumps({"store": str(layout.root), **facts}, sort_keys=True) if arguments.json else text)
    return status


def _stats(layout: StoreLayout, arguments: argparse.Namespace) -> tuple[int, dict[str, object], str]:
    del arguments
    found = stats(layout)
    limits = store_limits(os.environ)
    lines = [f"store {layout.root}"]
    for name, amount in _amounts(found.records, found.bodies, found.chains, found.quarantine):
        lines.append(f"  {name:<12}{amount.files:>9}{show_size(amount.disk_bytes):>12}")
    lines.append(f"  {'together':<12}{'':>9}{show_size(found.disk_bytes):>12}  of {show_size(limits.max_bytes)}")
    if found.oldest is not None:
        lines.append(f"  oldest result used {_days(time.time() - found.oldest)} ago")
    return 0, {**asdict(found), "max_bytes": limits.max_bytes}, "\n".join(lines)


def _gc(layout: StoreLayout, arguments: argparse.Namespace) -> tuple[int, dict[str, object], str]:
    limits = store_limits(os.environ, size=arguments.max_size, age=arguments.max_age)
    done = collect(layout, limits, now=time.time())
    removed = f"{done.records} records, {done.bodies} bodies, {done.chains} chains and {done.others} other files"
    text = f"removed {removed}: {show_size(done.freed_bytes)} freed, {show_size(done.left_bytes)} left"
    return 0, asdict(done), text


def _verify(layout: StoreLayout, arguments: argparse.Namespace) -> tuple[int, dict[str, object], str]:
    del arguments
    done = verify_all(layout)
    lines = [f"{done.checked} entries checked, {len(done.bad)} bad"]
    lines += [f"  {path}" for path in done.bad]
    if done.bad:
        lines.append(f"they are in {layout.quarantine} now and will be made again")
    return EXIT_BAD_ENTRIES if done.bad else 0, asdict(done), "\n".join(lines)


def _clear(layout: StoreLayout, arguments: argparse.Namespace) -> tuple[int, dict[str, object], str]:
    del arguments
    done = clear(layout)
    return 0, asdict(done), f"removed {done.files} files: {show_size(done.disk_bytes)} freed"


def _amounts(records: Amount, bodies: Amount, chains: Amount, quarantine: Amount) -> list[tuple[str, Amount]]:
    return [("records", records), ("bodies", bodies), ("chains", chains), ("quarantine", quarantine)]


def _days(seconds: float) -> str:
    days = seconds / 86400
    return f"{days:.0f} days" if days >= 2 else f"{seconds / 3600:.0f} hours"


_Action = Callable[[StoreLayout, argparse.Namespace], tuple[int, dict[str, object], str]]
_ACTIONS: dict[str, tuple[_Action, str]] = {
    "stats": (_stats, "show what the store holds"),
    "gc": (_gc, "remove what was not used for long, until the store is within its bounds"),
    "verify": (_verify, "check every entry and put bad ones in quarantine"),
    "clear": (_clear, "remove all results; safe beside running builds"),
}


def _run(arguments: argparse.Namespace, host: PluginHost) -> int:
    del host  # the store of this machine needs no plugin
    return run(arguments)


command = Command("store", "look at, bound, check or empty the store of results", add_arguments, _run)
