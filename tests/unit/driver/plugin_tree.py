# SPDX-License-Identifier: Apache-2.0
"""A source, and a local plugin with a contribution of each kind that can be told to fail."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest, CompileResult, SimulateRequest, SimulateResult
from pypto_build.driver.simulate import simulate_object
from tests.unit.driver.conftest import SOURCE as KERNEL

SOURCE = f"""{KERNEL}
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        out = self.double(x, out)
        return out
"""
PLUGIN = """
import os
import time
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.host import Member, SimulationResult, Unit, hookimpl
from pypto_build.passes import Check, FunctionPass, Phase, ProgramPass


def act(what):
    if what == "raise":
        raise ZeroDivisionError("as told")
    if what == "hang":
        time.sleep(60)
    if what == "abort":
        os.kill(os.getpid(), 9)
    if what == "print":
        print("chatter", flush=True)


@dataclass(frozen=True, slots=True)
class Quiet(FunctionPass):
    name: ClassVar[str] = "Quiet"
    does: str = ""

    def run(self, function, callees, context):
        if function.name == "double":
            act(self.does)
        return function


@dataclass(frozen=True, slots=True)
class QuietWhole(ProgramPass):
    name: ClassVar[str] = "QuietWhole"
    does: str = ""

    def run(self, program, context):
        act(self.does)
        return program


@dataclass(frozen=True, slots=True)
class Listing:
    name: ClassVar[str] = "listing"
    requires: ClassVar[frozenset] = frozenset()
    version: ClassVar[int] = 1
    does: str = ""

    def units(self, outlines):
        return (Unit("all", tuple(outlines)),)

    def emit(self, unit, program, context):
        act(self.does)
        return (Member("listing.txt", " ".join(unit.functions).encode()),)


@dataclass(frozen=True, slots=True)
class Doubling:
    name: ClassVar[str] = "doubling"
    version: ClassVar[int] = 1
    does: str = ""

    def simulate(self, request):
        act(self.does)
        return SimulationResult({"out": request.inputs["x"] * 2}, {"runs": [1]})


def no_divisions(function, context):
    act("raise" if function.name == "double" else "")
    return ()


def ssa_form(program, context):
    act("raise")
    yield


CHECK = Check("no_divisions", Phase.PRE_PIPELINE, no_divisions)


@hookimpl
def pypto_register_passes():
    return {"quiet": ":Quiet", "quiet_whole": ":QuietWhole"}


@hookimpl
def pypto_register_targets():
    return {"listing": ":Listing"}


@hookimpl
def pypto_register_simulators():
    return {"doubling": ":Doubling"}
"""
GOLDEN = """
import numpy as np


def inputs(rng):
    return {"x": rng.standard_normal((32, 32)).astype(np.float32), "out": np.zeros((32, 32), np.float32)}


def expected(inputs):
    return {"out": inputs["x"] * 2}
"""


@dataclass(frozen=True)
class PluginTree:
    """The source, the plugin and a golden file in a directory."""

    root: Path

    def pipeline(self, **does: str) -> None:
        """Write the pipeline; `does` says what each contribution does: `quiet="raise"`."""
        used = [
            f"{{use: {name}, options: {{does: {what}}}}}" for name, what in does.items() if name.startswith("quiet")
        ]
        target, simulator = (does.get(name, '""') for name in ("listing", "doubling"))
        isolate = does.get("isolate", "")
        lines = [
            "schema: 1",
            "hardware: ascend910b",
            "plugins: [./plugin.py]",
            f"passes: [{', '.join(['convert_to_ssa', *used])}]",
            f"targets: [{{use: listing, options: {{does: {target}}}{isolate}}}]",
            f"simulator: {{use: doubling, options: {{does: {simulator}}}{isolate}}}",
        ]
        (self.root / "pipeline.yaml").write_text("\n".join(lines) + "\n")

    def request(self) -> CompileRequest:
        """What compiles the source."""
        source, made = self.root / "double.py", self.root / "double.ptobj"
        pipeline = str(self.root / "pipeline.yaml")
        return CompileRequest(str(source), str(made), pipeline=pipeline, verify_rate=0)  # or one of 32 runs everything

    def compile(self, *, isolate: float | None = None, stored: bool = False) -> CompileResult:
        """Compile the source."""
        request = replace(self.request(), isolate=isolate)
        return compile_source(
            replace(request, store=str(self.root / "store"), store_mode="write") if stored else request
        )

    def simulate(self, *, isolate: float | None = None) -> SimulateResult:
        """Simulate what was compiled."""
        made, golden, report = (str(self.root / name) for name in ("double.ptobj", "golden.py", "report.json"))
        pipeline = str(self.root / "pipeline.yaml")
        return simulate_object(SimulateRequest(made, golden, report, pipeline=pipeline, isolate=isolate))


def plugin_tree(root: Path, *, plugin: str = "") -> PluginTree:
    """Write the files; `plugin` is more text for the plugin."""
    (root / "double.py").write_text(SOURCE)
    (root / "plugin.py").write_text(PLUGIN + plugin)
    (root / "golden.py").write_text(GOLDEN)
    tree = PluginTree(root)
    tree.pipeline()
    return tree
