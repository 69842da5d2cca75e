# SPDX-License-Identifier: Apache-2.0
"""A source and a pass that is not a pure function: it looks at a file, and keeps count of its runs in another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest, CompileResult

SOURCE = """
import pypto.language as pl


@pl.program
class Double:
    @pl.function(type=pl.FunctionType.InCore)
    def double(
        self, x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
    ) -> pl.Tensor[[32, 32], pl.FP32]:
        return pl.store(pl.mul(pl.load(x, [0, 0], [32, 32]), 2.0), [0, 0], out)
"""
PLUGIN = """
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pypto_build.host import hookimpl
from pypto_build.ir import Function, rebuilt
from pypto_build.passes import FunctionPass

PYPTO_BUILD_API = 1
HERE = Path(%r)


@dataclass(frozen=True, slots=True)
class Restless(FunctionPass):
    name: ClassVar[str] = "Restless"

    def run(self, function, callees, context):
        with (HERE / "runs").open("a") as file:
            file.write(function.name + "\\n")
        return rebuilt(function, {"attrs": {"turn": (HERE / "turn").read_text()}})


@hookimpl
def pypto_register_passes():
    return {"restless": "restless:Restless"}
"""
PIPELINE = """schema: 1
name: restless
hardware: ascend910b
diagnostics: {disable: [PH001]}
plugins: [./restless.py]
passes: [convert_to_ssa, restless]
verify: none
"""


@dataclass(frozen=True)
class RestlessTree:
    """The source, the plugin and a store; `turn` is what the pass gives to every function."""

    root: Path

    def turn(self, text: str) -> None:
        """Make the pass give another result from now on."""
        (self.root / "turn").write_text(text)

    def remark(self) -> None:
        """Edit the source so that nothing is known of it as a whole, and everything of its functions."""
        path = self.root / "double.py"
        path.write_text("# a remark\n" + path.read_text())

    def runs(self) -> int:
        """How often the pass was called so far."""
        return len((self.root / "runs").read_text().splitlines())

    def object(self) -> bytes:
        """The bytes of the object."""
        return (self.root / "double.ptobj").read_bytes()

    def build(self, mode: str = "write", *, verify_rate: int = 0) -> CompileResult:
        """Compile."""
        request = CompileRequest(
            source=str(self.root / "double.py"),
            output=str(self.root / "double.ptobj"),
            pipeline=str(self.root / "restless.yaml"),
            store=str(self.root / "store"),
        )
        return compile_source(replace(request, store_mode=mode, verify_rate=verify_rate))


@pytest.fixture
def tree(tmp_path: Path) -> RestlessTree:
    """A tree that was built once."""
    (tmp_path / "double.py").write_text(SOURCE)
    (tmp_path / "restless.py").write_text(PLUGIN % str(tmp_path))
    (tmp_path / "restless.yaml").write_text(PIPELINE)
    made = RestlessTree(tmp_path)
    made.turn("1")
    made.build()
    return made
