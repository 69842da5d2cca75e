# SPDX-License-Identifier: Apache-2.0
"""`pypto-build simulate`: run an object on the inputs of its golden file and compare the outputs."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from typing import Any, cast

from pypto_build.cli.values import seconds
from pypto_build.errors import UserError
from pypto_build.host.command import Command
from pypto_build.host.manager import PluginHost

ISOLATE = "run the simulator in a process of its own, for at most so long"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The object, its golden file, the simulator, and the place of the report."""
    parser.add_argument("object", metavar="OBJECT", help="what `pypto-build compile` made")
    parser.add_argument("--golden", required=True, metavar="FILE", help="inputs, expected outputs and tolerances")
    parser.add_argument("--simulator", default="", metavar="NAME", help="default: that of the pipeline, or functional")
    parser.add_argument("--pipeline", default="", metavar="P", help="a pipeline whose simulator and plugins are used")
    parser.add_argument("--isolate", nargs="?", type=seconds, const=0.0, metavar="SECONDS", help=ISOLATE)
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs")
    parser.add_argument("-o", "--report", metavar="OUT", help="keep the report as JSON")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Simulate and print the comparison; 2 when an output is out of tolerance."""
    from pypto_build.driver.request import SimulateRequest
    from pypto_build.driver.simulate import simulate_object

    if not os.path.isfile(arguments.object):
        raise UserError("SIM002", f"there is no object {arguments.object}")
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.abspath(arguments.report) if arguments.report else os.path.join(scratch, "report.json")
        request = SimulateRequest(
            object=os.path.abspath(arguments.object),
            golden=os.path.abspath(arguments.golden),
            report=report,
            simulator=arguments.simulator,
            pipeline=arguments.pipeline,
            seed=arguments.seed,
            isolate=arguments.isolate,
            host=host.options,
        )
        result = simulate_object(request)
        if result.error:
            print(result.error, file=sys.stderr)
            return result.status
        with open(report, encoding="utf-8") as file:
            text = file.read()
    print(text.rstrip() if arguments.json else _summary(json.loads(text)))
    return result.status


def _summary(report: dict[str, Any]) -> str:
    lines = [f"{report['name']}: largest error {report['max_error']:.3e}, within tolerance ({report['simulator']})"]
    facts: dict[str, Any] = report["facts"]
    lines += [f"  {name.replace('_', ' ')}: {_shown(value)}" for name, value in facts.items() if value not in ({}, [])]
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in cast("dict[str, Any]", value).items())
    return str(value)


command = Command("simulate", "run an object in a simulator and compare it with its golden file", add_arguments, run)
