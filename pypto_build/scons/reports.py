# SPDX-License-Identifier: Apache-2.0
"""`PtoReport`: the reports of simulations as one JSON file, and as a table when something in it is new."""

from __future__ import annotations

import json
from typing import Any

from pypto_build.driver.publish import write_if_changed
from pypto_build.driver.tables import print_table
from pypto_build.scons.modules import scons


def builder(env: Any) -> Any:
    """The builder: sources are simulation reports."""
    action, builder_of = scons("Action").Action, scons("Builder").Builder

    del env
    return builder_of(action=action(report, "$PTOREPORTCOMSTR"), suffix=".json", src_suffix="$PTOREPORTSUFFIX")


def report(target: list[Any], source: list[Any], env: Any) -> None:
    """The action."""
    del env
    entries = [json.loads(node.get_text_contents()) for node in source]
    text = json.dumps({"simulations": entries}, indent=1, sort_keys=True) + "\n"
    write_if_changed(target[0].get_abspath(), text.encode())
    rows = [
        (e["name"], e["simulator"], str(e["outputs"]), f"{e['max_error']:.2e}", f"{e['tolerance']:.0e}", "ok")
        for e in entries
    ]
    print_table("Simulated against NumPy", ("example", "simulator", "outputs", "max error", "tolerance", ""), rows)
