# SPDX-License-Identifier: Apache-2.0
"""`pypto-build explain`: for each pass of an object, whether it ran or was reused when it was last built, and why."""

from __future__ import annotations

import argparse
import json
import os

from pypto_build.errors import UserError
from pypto_build.host.command import Command
from pypto_build.host.manager import PluginHost
from pypto_build.store.chain import ChainEntry, Status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The object, and what to show of it."""
    parser.add_argument("object", metavar="OBJECT", help="an object with its source map beside it")
    parser.add_argument("--why-not", metavar="PASS", help="only this pass: why it was not reused")
    parser.add_argument("--store", metavar="DIR", help="the store (default: PYPTO_BUILD_STORE or the user's cache)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Print the explanation."""
    del host
    entries = _entries(arguments.object, arguments.store)
    if arguments.why_not is not None:
        known = list(dict.fromkeys(e.pass_id for e in entries))
        entries = [e for e in entries if e.pass_id == arguments.why_not]
        if not entries:
            raise UserError("EXPL003", f"no pass {arguments.why_not!r} in {arguments.object}", help=", ".join(known))
    if arguments.json:
        print(json.dumps([_plain(entry) for entry in entries], indent=1))
    else:
        _print(entries)
    return 0


def _entries(path: str, store: str | None) -> list[ChainEntry]:
    from pypto_build.driver.history import object_history
    from pypto_build.store.local import LocalStore
    from pypto_build.store.location import store_location

    return list(object_history(path, LocalStore(store_location(os.environ, store))))


def _plain(entry: ChainEntry) -> dict[str, object]:
    return {
        "pass": entry.pass_id,
        "function": entry.function,
        "status": entry.status.value,
        "reason": entry.reason,
        "milliseconds": round(entry.cost_ms, 3),
    }


def _print(entries: list[ChainEntry]) -> None:
    from pypto_build.driver.tables import print_table

    rows = [(e.pass_id, e.function or "(program)", e.status.value, f"{e.cost_ms:.2f} ms", e.reason) for e in entries]
    spent = sum(e.cost_ms for e in entries if e.status is Status.RAN)
    saved = sum(e.cost_ms for e in entries if e.status is Status.REUSED)
    print_table("Passes", ("pass", "function", "", "cost", "why"), rows)
    print(f"{spent:.1f} ms spent, {saved:.1f} ms saved")


command = Command("explain", "say which passes ran for an object, and why", add_arguments, run)
