# SPDX-License-Identifier: Apache-2.0
"""`PtoReport`: what a build did to its objects and how near its simulations came, as JSON and as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pypto_build.driver.publish import write_if_changed
from pypto_build.scons.actions import signed_action
from pypto_build.scons.build_run import BuildRun, build_run
from pypto_build.scons.modules import scons
from pypto_build.scons.objects import without_maps

if TYPE_CHECKING:
    from pypto_build.driver.build_report import ObjectReport


def builder(env: Any) -> Any:
    """The builder: sources are objects and simulation reports."""
    builder_of = scons("Builder").Builder

    del env
    return builder_of(
        action=signed_action(report, "$PTOREPORTCOMSTR"), emitter=emit, suffix=".json", src_suffix="$PTOREPORTSUFFIX"
    )


def emit(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """The page is a second target. A report on objects is made in every build, because it says what the build did."""
    sources = without_maps(source, env)
    target = [target[0], env.File(str(target[0]).removesuffix(".json") + ".html")]
    if any(_is_object(node, env) for node in sources):
        build_run(env).reports_passes.set()
        env.AlwaysBuild(target)
    env.Precious(target)
    env.NoCache(target)
    return target, sources


def report(target: list[Any], source: list[Any], env: Any) -> None:
    """The action."""
    from pypto_build.driver.build_report import plain_report
    from pypto_build.driver.report_page import report_page

    run = build_run(env)
    objects = [_of_object(node, run) for node in source if _is_object(node, env)]
    simulations = [json.loads(node.get_text_contents()) for node in source if not _is_object(node, env)]
    text = json.dumps(plain_report(objects, simulations), indent=1, sort_keys=True) + "\n"
    write_if_changed(target[0].get_abspath(), text.encode())
    page = report_page(Path(str(target[0])).stem, objects, simulations)
    write_if_changed(target[1].get_abspath(), page.encode())
    if not scons("Script").GetOption("silent"):
        _print(objects, simulations)


def _is_object(node: Any, env: Any) -> bool:
    return str(node).endswith(env.subst("$PTOSUFFIX"))


def _of_object(node: Any, run: BuildRun) -> ObjectReport:
    from pypto_build.driver.build_report import Outcome, built_object, unbuilt_object

    path = node.get_abspath()
    result = run.results.get(path)
    if result is not None and not result.found:
        return built_object(str(node), result.passes)
    outcome = Outcome.UNTOUCHED if result is None else Outcome.FOUND
    return unbuilt_object(str(node), outcome, path=path, store=run.store)


def _print(objects: list[ObjectReport], simulations: list[dict[str, Any]]) -> None:
    from pypto_build.driver.tables import print_table

    if objects:
        head = ("object", "", "ran", "reused", "spent", "saved")
        rows = [
            (o.name, o.outcome.value, str(o.ran), str(o.reused), f"{o.spent_ms:.1f} ms", f"{o.saved_ms:.1f} ms")
            for o in objects
        ]
        print_table("Passes of this build", head, rows)
    if simulations:
        head = ("example", "simulator", "outputs", "max error", "tolerance", "")
        rows = [
            (e["name"], e["simulator"], str(e["outputs"]), f"{e['max_error']:.2e}", f"{e['tolerance']:.0e}", "ok")
            for e in simulations
        ]
        print_table("Simulated against NumPy", head, rows)
