# SPDX-License-Identifier: Apache-2.0
"""`pypto-build explain`: for each pass of an object, whether it ran or was reused when it was last built, and why."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from pypto_build.errors import UserError
from pypto_build.host.contracts import Command
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
    from pypto_build.pipeline.cache import BODIES_STEP, CHECKS_STEP, OLDER
    from pypto_build.store.local import LocalStore
    from pypto_build.store.location import store_location

    source_id = _source_id(path)
    chain = LocalStore(store_location(os.environ, store)).get_chain(source_id)
    if chain is None:
        raise UserError(
            "EXPL002", f"the store has no record of how {path} was built", help="build it with the store on"
        )
    return [e for e in chain.entries if e.reason != OLDER and e.pass_id not in (BODIES_STEP, CHECKS_STEP)]


def _source_id(path: str) -> str:
    if not os.path.isfile(path):
        raise UserError("EXPL001", f"there is no object {path}")
    beside = Path(path.removesuffix(".ptobj") + ".ptomap")
    try:
        table = json.loads(beside.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        help = "build with PTOLOCATIONS map, the default"
        raise UserError("EXPL001", f"{path} has no readable source map beside it", help=help) from error
    return str(table["id"])


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
