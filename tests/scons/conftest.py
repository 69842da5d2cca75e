# SPDX-License-Identifier: Apache-2.0
"""A small tree of kernels, and a way to run SCons on it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

KERNEL = '''"""Adds, then doubles."""

import pypto.language as pl
from shared.sizes import SIZE


@pl.program
class {name}:
    @pl.function(type=pl.FunctionType.InCore)
    def add(
        self,
        a: pl.Tensor[[SIZE, SIZE], pl.FP32],
        b: pl.Tensor[[SIZE, SIZE], pl.FP32],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        tile_a = pl.load(a, [0, 0], [SIZE, SIZE])
        tile_b = pl.load(b, [0, 0], [SIZE, SIZE])
        return pl.store(pl.add(tile_a, tile_b), [0, 0], out)

    @pl.function(type=pl.FunctionType.InCore)
    def double(
        self, x: pl.Tensor[[SIZE, SIZE], pl.FP32], out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]]
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        return pl.store(pl.mul(pl.load(x, [0, 0], [SIZE, SIZE]), 2.0), [0, 0], out)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[SIZE, SIZE], pl.FP32],
        b: pl.Tensor[[SIZE, SIZE], pl.FP32],
        total: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
        out: pl.Out[pl.Tensor[[SIZE, SIZE], pl.FP32]],
    ) -> pl.Tensor[[SIZE, SIZE], pl.FP32]:
        total = self.add(a, b, total)
        out = self.double(total, out)
        return out
'''

GOLDEN = """import numpy as np


def inputs(rng):
    return {"a": rng.standard_normal((32, 32), np.float32), "b": rng.standard_normal((32, 32), np.float32)}


def expected(inputs):
    return {"out": 2 * (inputs["a"] + inputs["b"])}
"""

PIPELINE = """schema: 1
name: small
hardware: ascend910b
assumes: [TileOps2D, SplitIncoreOrch, IncoreTileOps]
passes:
  - convert_to_ssa
  - normalize_stmt_structure
  - flatten_call_expr
  - infer_tile_memory_space
  - expand_mixed_kernel
  - normalize_return_order
  - canonicalize_io_order
  - init_mem_ref
  - allocate_memory_addr
  - derive_call_directions
targets: [pto]
simulator: functional
diagnostics: {disable: [PH001]}
"""

SCONSTRUCT = """
from pypto_build.scons import generate

DefaultEnvironment(tools=[])
env = Environment(tools=[generate], PTOPIPELINE="base.yaml", PTOPATH=["."])
for name in ("first", "second"):
    built = env.PtoObject(f"build/{name}.ptobj", f"{name}.py")
    env.PtoSimulate(f"build/{name}", [built, f"{name}_golden.py"])
"""


@dataclass(frozen=True)
class Outcome:
    """What a run of SCons said."""

    status: int
    out: str
    err: str

    @property
    def built(self) -> list[str]:
        """The targets that were built, `PTO build/first.ptobj` and so on."""
        lines = (line.split() for line in self.out.splitlines())
        return [f"{words[0]} {words[1]}" for words in lines if len(words) == 2 and words[0].isupper()]


class Tree:
    """A tree of sources with its own store."""

    def __init__(self, root: Path, store: Path) -> None:
        self.root = root
        self.store = store

    def write(self, name: str, text: str) -> None:
        """Write a file of the tree."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that must be there."""
        text = (self.root / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def bytes(self, name: str) -> bytes:
        """The content of a file."""
        return (self.root / name).read_bytes()

    def explained(self, name: str) -> list[dict[str, str]]:
        """What `pypto-build explain --json` says about an object."""
        command = [sys.executable, "-m", "pypto_build", "explain", name, "--json", "--store", str(self.store)]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True, timeout=60)
        return json.loads(done.stdout)

    def scons(self, *arguments: str) -> Outcome:
        """Run SCons."""
        command = [sys.executable, "-m", "SCons", "-Q", *arguments]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False, timeout=300)
        return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "tree", tmp_path / "store")
    made.write("SConstruct", SCONSTRUCT.replace('PTOPATH=["."]', f'PTOPATH=["."], PTOSTORE={str(made.store)!r}'))
    made.write("base.yaml", PIPELINE)
    made.write("shared/__init__.py", "")
    made.write("shared/sizes.py", "SIZE = 32\n")
    for name in ("first", "second"):
        made.write(f"{name}.py", KERNEL.format(name=name.capitalize()))
        made.write(f"{name}_golden.py", GOLDEN)
    return made


@pytest.fixture
def built(tree: Tree) -> Tree:
    """The tree after a first build."""
    first = tree.scons()
    assert first.status == 0, first.out + first.err
    return tree
