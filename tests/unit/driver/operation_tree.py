# SPDX-License-Identifier: Apache-2.0
"""A kernel that uses an operation of a local plugin, and the pipeline that loads the plugin."""

from __future__ import annotations

import zipfile
from pathlib import Path
from textwrap import indent

from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest

KERNEL = """
import pypto.language as pl


@pl.program
class Plugged:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        tile = pl.load(x, [0, 0], [16, 16])
{lines}

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        out = self.kernel(x, out)
        return out
"""
PIPELINE = "schema: 1\nname: plugged\nextends: default\nplugins: [./my_ops.py]\n"


def write_tree(root: Path, *, plugin: str, lines: str) -> None:
    """`lines` end the kernel, which has loaded `tile`."""
    (root / "kernel.py").write_text(KERNEL.format(lines=indent(lines, " " * 8)))
    (root / "my_ops.py").write_text(plugin)
    (root / "plugged.yaml").write_text(PIPELINE)


def emitted(root: Path, *, pipeline: str = "") -> str:
    """The assembly of the kernel, compiled by the pipeline with the plugin or by another one."""
    output = root / "kernel.ptobj"
    through = pipeline or str(root / "plugged.yaml")
    compile_source(CompileRequest(str(root / "kernel.py"), str(output), pipeline=through))
    with zipfile.ZipFile(output) as archive:
        return archive.read("kernels/kernel.pto").decode()
