# SPDX-License-Identifier: Apache-2.0
"""`pypto-build check`: run a program after every pass on the same inputs; name the first that changes the answer."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from typing import TYPE_CHECKING

from pypto_build.cli.compile import ARGUMENT
from pypto_build.cli.values import UNORDERED, definition
from pypto_build.errors import UserError, render
from pypto_build.host.command import Command
from pypto_build.host.manager import PluginHost

if TYPE_CHECKING:
    from pypto_build.driver.check import CheckedStep, CheckRequest, CheckResult
    from pypto_build.driver.golden import Comparison

EXIT_ANSWER_CHANGES = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The source, the pipeline, the inputs, and where to stop."""
    parser.add_argument("source", metavar="FILE", help="the kernel source")
    parser.add_argument("--pipeline", default="default", metavar="P", help="a pipeline's name or file")
    parser.add_argument("-D", "--define", action="append", default=[], metavar="NAME=VALUE", help="pipeline parameter")
    parser.add_argument("-I", "--path", action="append", default=[], metavar="DIR", help="where imports are looked for")
    parser.add_argument("--entry", default="", metavar="NAME", help="the program, where a source holds several")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help=ARGUMENT)
    parser.add_argument("--golden", metavar="FILE", help="inputs and tolerances (default: NAME_golden.py beside FILE)")
    parser.add_argument("--random", action="store_true", help="random inputs even where there is a golden file")
    parser.add_argument("--seed", type=int, default=0, help="of the random inputs")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=INT", help="a symbol or scalar of the inputs"
    )
    parser.add_argument("--until", default="", metavar="PASS", help="the last pass to run")
    parser.add_argument("--rtol", type=float, help="how far outputs may be off, relative to the largest element")
    parser.add_argument(
        "--dump", metavar="DIR", help="write the program before and after a pass that changes the answer"
    )
    parser.add_argument("--allow-unordered", action="store_true", help=UNORDERED)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Check and print what each pass did; 1 when the answer changes."""
    from pypto_build.driver.check import CheckRequest, check_source

    request = CheckRequest(
        source=os.path.abspath(arguments.source),
        pipeline=arguments.pipeline,
        allow_unordered=arguments.allow_unordered,
        defines=tuple(definition(text) for text in arguments.define),
        entry=arguments.entry,
        arguments=tuple(arguments.arg),
        search_path=tuple(os.path.abspath(d) for d in arguments.path),
        golden="" if arguments.random else _golden(arguments),
        seed=arguments.seed,
        extents=tuple(_number(text) for text in arguments.set),
        until=arguments.until,
        rtol=arguments.rtol,
        host=host.options,
    )
    result = check_source(request)
    dumped = _dump(result, arguments.dump) if arguments.dump else []
    if arguments.json:
        print(json.dumps(_plain(request, result, dumped), indent=1))
    else:
        _print(arguments, request, result, dumped=dumped)
    return 0 if result.ok else EXIT_ANSWER_CHANGES


def _golden(arguments: argparse.Namespace) -> str:
    if arguments.golden:
        return os.path.abspath(arguments.golden)
    beside = os.path.splitext(os.path.abspath(arguments.source))[0] + "_golden.py"
    return beside if os.path.isfile(beside) else ""


def _number(text: str) -> tuple[str, int]:
    name, value = definition(text, "--set")
    try:
        return name, int(value)
    except ValueError as problem:
        raise UserError("CLI002", f"--set wants an integer, not {value!r}") from problem


def _dump(result: CheckResult, directory: str) -> list[str]:
    """Write both programs around the failure; the files written."""
    written: list[str] = []
    os.makedirs(directory, exist_ok=True)
    for name, program in (("before.py", result.before), ("after.py", result.after)):
        if program is not None:
            path = os.path.join(directory, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{program}\n")
            written.append(path)
    return written


def _print(arguments: argparse.Namespace, request: CheckRequest, result: CheckResult, *, dumped: list[str]) -> None:
    from pypto_build.driver.tables import print_table

    inputs = f"inputs of {os.path.basename(request.golden)}" if request.golden else "random inputs"
    rows = [("(golden)", "", *_verdict(c)) for c in result.golden] + [_row(step) for step in result.steps]
    head = ("pass", "changes", "largest difference", "")
    print_table(f"{os.path.basename(request.source)}, {inputs}, seed {request.seed}", head, rows)
    failure = result.failure
    if failure is not None:
        print("\n".join(_complaint(failure, arguments)))
        print("\n".join(f"written: {path}" for path in dumped) or "see both programs: add --dump DIR")
    elif not result.ok:
        print("the source does not compute what its golden file says, whatever the passes do")
    else:
        print("no pass changes the answer")


def _row(step: CheckedStep) -> tuple[str, str, str, str]:
    changed = ", ".join(step.changed[:3]) + (", ..." if len(step.changed) > 3 else "")
    if step.problem is not None:
        return step.step, changed, "", "cannot run"
    if step.worst is None:
        return step.step, "-", "", ""
    return (step.step, changed, *_verdict(step.worst))


def _verdict(comparison: Comparison) -> tuple[str, str]:
    return f"{comparison.max_error:.3e} in {comparison.name}", "ok" if comparison.ok else "CHANGED"


def _complaint(failure: CheckedStep, arguments: argparse.Namespace) -> list[str]:
    if failure.problem is not None:
        lines = [f"after {failure.step} the program cannot be run:", render(failure.problem)]
    else:
        worst = failure.worst
        assert worst is not None  # without a comparison nothing can have changed
        off = f"output {worst.name!r} is off by {worst.max_error:.3e}, {worst.scaled:.1f} times the tolerance"
        lines = [f"{failure.step} changes the answer: {off}"]
    names = failure.culprits or failure.changed
    alone = "alone changes it" if failure.culprits else "changed by the pass"
    lines.append(f"function {', '.join(names)}: {alone}")
    lines.append(f"again: {_again(arguments, failure.step)}")
    return lines


def _again(arguments: argparse.Namespace, until: str) -> str:
    words = ["pypto-build", "check", arguments.source, "--pipeline", arguments.pipeline, "--seed", str(arguments.seed)]
    repeated = {"-D": arguments.define, "-I": arguments.path, "--arg": arguments.arg, "--set": arguments.set}
    for option, values in repeated.items():
        words += [word for value in values for word in (option, value)]
    words += ["--entry", arguments.entry] if arguments.entry else []
    words += ["--golden", arguments.golden] if arguments.golden else []
    words += ["--random"] if arguments.random else []
    words += ["--rtol", str(arguments.rtol)] if arguments.rtol is not None else []
    return shlex.join([*words, "--until", until])


def _plain(request: CheckRequest, result: CheckResult, dumped: list[str]) -> dict[str, object]:
    failure = result.failure
    return {
        "source": request.source,
        "ok": result.ok,
        "first_change": failure.step if failure else None,
        "functions": list(failure.culprits or failure.changed) if failure else [],
        "golden": [_comparison(c) for c in result.golden],
        "passes": [
            {
                "pass": step.step,
                "changed": list(step.changed),
                "ok": step.ok,
                "problem": str(step.problem) if step.problem else None,
                "outputs": [_comparison(c) for c in step.comparisons],
            }
            for step in result.steps
        ],
        "written": dumped,
    }


def _comparison(comparison: Comparison) -> dict[str, object]:
    return {"output": comparison.name, "max_error": comparison.max_error, "ok": comparison.ok}


command = Command("check", "find the pass that changes what a program computes", add_arguments, run)
