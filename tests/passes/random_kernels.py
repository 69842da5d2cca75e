# SPDX-License-Identifier: Apache-2.0
"""Random kernels with loops and branches, and two ways to run them: by values, and by the buffers that tiles are in.

A value is a number that stands for where it came from; None is what nobody has written. By buffers, a carry or a merge
does nothing: what it names is what its buffer holds, as in the assembly that is made of the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstInt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    Lt,
    Stmt,
    TileType,
    Var,
    as_int,
    statements,
)

TILE = "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]"
APART = {"tile.recip", "tile.move"}
"""Of the operations here, those that must not write over an operand."""


@dataclass(slots=True)
class Writer:
    """Writes the body of a kernel."""

    random: Random
    count: int = 0
    lines: list[str] = field(default_factory=list)

    def name(self, stem: str) -> str:
        """A new name."""
        self.count += 1
        return f"{stem}{self.count}"

    def block(self, tiles: list[str], depth: int, indent: str) -> list[str]:
        """Some statements; the tiles that are there behind them."""
        tiles = list(tiles)
        for _ in range(self.random.randint(1, 5)):
            kind = self.random.choice(["load", "add", "add", "recip", "store", "create", *("loop", "branch") * 2])
            if kind in ("loop", "branch"):
                write = self.write_loop if kind == "loop" else self.write_branch
                tiles.extend(write(tiles, depth, indent) if depth else [])
            else:
                tiles.extend(self.write_call(kind, tiles, indent))
        return tiles

    def write_call(self, kind: str, tiles: list[str], indent: str) -> list[str]:
        """One operation; the tile that it makes."""
        one, other = self.random.choices(tiles, k=2) if tiles else ("", "")
        if kind == "store":
            self.lines.append(f"{indent}{self.name('s')} = pl.tile.store({one}, [0, 0], out)")
            return []
        calls = {
            "load": "load(x, [0, 0], [16, 16])",
            "create": "create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec)",
            "add": f"add({one}, {other})",
            "recip": f"recip({one})",
        }
        new = self.name("t")
        self.lines.append(f"{indent}{new}: {TILE} = pl.tile.{calls[kind]}")
        return [new]

    def write_loop(self, tiles: list[str], depth: int, indent: str) -> list[str]:
        carries = [self.name("p") for _ in range(self.random.randint(1, 3))]
        inits = "".join(f"{tile}, " for tile in self.random.choices(tiles, k=len(carries)))
        head = f"for {self.name('i')}, ({', '.join(carries)},) in pl.range({self.random.randint(1, 3)}"
        self.lines.append(f"{indent}{head}, init_values=({inits})):")
        inner = self.block([*tiles, *carries, *carries], depth - 1, indent + "    ")
        return self._yield(carries, inner, indent + "    ", [self.name("y") for _ in carries])

    def write_branch(self, tiles: list[str], depth: int, indent: str) -> list[str]:
        results = [self.name("m") for _ in range(self.random.randint(1, 2))]
        self.lines.append(f"{indent}if c < {self.random.randint(0, 3)}:")
        for word in ("", "else:"):
            if word:
                self.lines.append(f"{indent}{word}")
            inner = self.block(tiles, depth - 1, indent + "    ")
            self._yield(results, inner, indent + "    ", results)
        return results

    def _yield(self, values: list[str], tiles: list[str], indent: str, results: list[str]) -> list[str]:
        chosen = [self.random.choice(tiles[-6:]) for _ in values]
        target = results[0] + f": {TILE}" if len(results) == 1 else ", ".join(results)
        self.lines.append(f"{indent}{target} = pl.yield_({', '.join(chosen)})")
        return results


def random_body(seed: int) -> str:
    """The statements of a kernel."""
    writer = Writer(Random(seed))
    tiles = writer.block(writer.write_call("load", [], ""), 3, "")
    for tile in tiles[-3:]:
        writer.lines.append(f"{writer.name('s')} = pl.tile.store({tile}, [0, 0], out)")
    return "\n".join([*writer.lines, "return out"])


@dataclass(slots=True)
class Machine:
    """Runs a kernel and collects what it stores; `by_buffer` says which way.

    With `by_address` a buffer is what lies at one address; all tiles of these kernels are of one size.
    """

    by_buffer: bool
    scalar: int
    by_address: bool = False
    held: dict[object, int | None] = field(default_factory=dict)
    stored: list[int | None] = field(default_factory=list)

    def run(self, function: Function) -> list[int | None]:
        """What the kernel stores."""
        self._body(function.body)
        return self.stored

    def _key(self, var: Expr) -> object:
        if self.by_buffer and isinstance(var.type, TileType) and var.type.memref is not None:
            return as_int(var.type.memref.byte_offset) if self.by_address else var.type.memref.base
        return var

    def _pass(self, targets: list[Var], values: list[Expr]) -> None:
        if not self.by_buffer:
            taken = [self.held.get(value) for value in values]
            self.held.update(zip(targets, taken, strict=True))

    def _body(self, body: Stmt | None) -> None:
        for stmt in statements(body):
            if isinstance(stmt, AssignStmt) and isinstance(stmt.value, Call):
                self._call(stmt.var, stmt.value)
            elif isinstance(stmt, IfStmt):
                branch = stmt.then_body if self._holds(stmt.condition) else stmt.else_body
                self._body(branch)
                self._pass(list(stmt.return_vars), list(yielded_values(branch)))
            elif isinstance(stmt, ForStmt):
                self._loop(stmt)

    def _loop(self, stmt: ForStmt) -> None:
        assert isinstance(stmt.stop, ConstInt)
        args = list(stmt.iter_args)
        self._pass(args, [arg.init_value for arg in args])
        for _ in range(stmt.stop.value):
            self._body(stmt.body)
            self._pass(args, list(yielded_values(stmt.body)))
        self._pass(list(stmt.return_vars), list(args))

    def _holds(self, condition: Expr) -> bool:
        assert isinstance(condition, Lt)
        assert isinstance(condition.right, ConstInt)
        return self.scalar < condition.right.value

    def _call(self, var: Var, call: Call) -> None:
        name = call.op.name
        tiles = [self._key(arg) for arg in call.args if isinstance(arg.type, TileType)]
        values = [self.held.get(tile) for tile in tiles]
        if name == "tile.store":
            self.stored.append(values[0])
        elif name == "tile.load":
            self.held[self._key(var)] = hash(var.name_hint)
        elif name == "tile.move":
            assert not self.by_buffer or self._key(var) not in tiles, f"{var} is moved onto itself"
            self.held[self._key(var)] = values[0]
        elif name not in ("tile.create", "tile.alloc"):
            assert not (self.by_buffer and name in APART and self._key(var) in tiles), f"{var} is not in place"
            self.held[self._key(var)] = None if None in values else hash((name, *values))
