# SPDX-License-Identifier: Apache-2.0
"""Random kernels with tiles of three dimensions, windows of matrices, columns, conversions and batched products."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

Shape = tuple[int, ...]
NUMBER = 2
"""What the kernel's scalar parameter n must be."""
CASTS = ("pl.FP16", "pl.BF16", "pl.INT16")


@dataclass(slots=True)
class Writer:
    """Writes the body of a kernel; `tiles` are those of FP32 that are there, by their shapes."""

    random: Random
    outer: int
    rows: int
    count: int = 0
    lines: list[str] = field(default_factory=list)
    tiles: list[tuple[str, Shape]] = field(default_factory=list)

    @property
    def deep(self) -> Shape:
        """The shape of most tiles of three dimensions."""
        return (self.outer, self.rows, 8)

    def line(self, value: str, shape: Shape | None = None) -> str:
        """Bind a value to a new name."""
        self.count += 1
        name = f"t{self.count}"
        self.lines.append(f"{name} = pl.tile.{value}")
        if shape is not None:
            self.tiles.append((name, shape))
        return name

    def some(self, rank: int = 0, shape: Shape = ()) -> tuple[str, Shape] | None:
        """One of the tiles, of a rank or a shape if that is asked for."""
        fitting = [t for t in self.tiles if (not rank or len(t[1]) == rank) and (not shape or t[1] == shape)]
        return self.random.choice(fitting) if fitting else None

    def write(self) -> str:
        """The statements."""
        self.line(f"load(x, [0, 0, 0], {list(self.deep)})", self.deep)
        matrix = (self.outer * self.rows, 8)
        self.line(f"load(y, [0, 0], {list(matrix)})", matrix)
        steps = (
            self.one,
            self.two,
            self.assemble,
            self.reshape,
            self.window,
            self.column,
            self.convert,
            self.transpose,
        )
        for _ in range(self.random.randint(3, 9)):
            self.random.choice((*steps, self.product, self.loop))()
        for name, shape in self.tiles[-4:]:
            self.lines.append(f"s{name} = pl.tile.store({name}, {[0] * len(shape)}, o{len(shape)})")
        return "\n".join(self.lines)

    def one(self) -> None:
        """An operation on one tile."""
        name, shape = self.random.choice(self.tiles)
        self.line(self.random.choice((f"neg({name})", f"adds({name}, 0.5)", f"abs({name})")), shape)

    def two(self) -> None:
        """An operation on two tiles."""
        name, shape = self.random.choice(self.tiles)
        other = self.some(shape=shape) or (name, shape)
        self.line(f"{self.random.choice(('add', 'sub', 'maximum'))}({name}, {other[0]})", shape)

    def assemble(self) -> None:
        """One index of the outer dimension of a tile replaced by a constant."""
        found = self.some(rank=3)
        if found is not None:
            page = self.line(f"full([1, {found[1][1]}, {found[1][2]}], dtype=pl.FP32, value=3.0)")
            at = self.random.randrange(found[1][0])
            self.line(f"assemble({found[0]}, {page}, [{at}, 0, 0])", found[1])

    def reshape(self) -> None:
        """A tile in another shape."""
        name, shape = self.random.choice(self.tiles)
        whole = shape[0] * shape[1] * (shape[2] if len(shape) == 3 else 1)
        for target in (self.deep, (self.outer * self.rows, 8), (self.rows, self.outer, 8)):
            if target != shape and target[0] * target[1] * (target[2] if len(target) == 3 else 1) == whole:
                self.line(f"reshape({name}, {list(target)})", target)
                return

    def window(self) -> None:
        """A window of a matrix, at a place that is known or not, and an operation on it."""
        found = self.some(rank=2)
        if found is None or found[1][1] < 8:
            return
        shape = (self.random.randint(1, found[1][0]), self.random.choice((1, 4, 8)))
        row = self.random.choice(("n", "0")) if shape[0] + NUMBER <= found[1][0] else "0"
        column = self.random.choice(("n * 2", "4", "0", "n")) if shape[1] <= 4 else "0"
        name = self.line(f"slice({found[0]}, {list(shape)}, [{row}, {column}])", shape)
        self.line(f"muls({name}, 2.0)", shape)

    def column(self) -> None:
        """The largest element of each row, and a number added to it."""
        name, shape = self.random.choice(self.tiles)
        tmp = self.line(f"create({list(shape)}, dtype=pl.FP32, target_memory=pl.Mem.Vec)")
        if shape[-1] > 1:
            largest = self.line(f"row_max({name}, {tmp})", (*shape[:-1], 1))
            self.line(f"adds({largest}, 1.0)", (*shape[:-1], 1))

    def convert(self) -> None:
        """A conversion there and back, of numbers that stay what they are."""
        name, shape = self.random.choice(self.tiles)
        whole = self.line(f'cast({name}, target_type=pl.INT32, mode="trunc")')
        there = self.line(f'cast({whole}, target_type={self.random.choice(CASTS)}, mode="rint")')
        half = self.line(f'cast({there}, target_type=pl.INT8, mode="rint")') if self.random.random() < 0.5 else there
        back = self.line(f'cast({half}, target_type=pl.FP16, mode="rint")') if half != there else half
        self.line(f'cast({back}, target_type=pl.FP32, mode="rint")', shape)

    def transpose(self) -> None:
        """Rows and columns exchanged."""
        found = self.some(rank=3)
        if found is not None:
            self.line(f"transpose({found[0]}, 1, 2)", (found[1][0], found[1][2], found[1][1]))

    def product(self) -> None:
        """A batched product of two loads, one of them perhaps transposed or shared by the batch."""
        self.count += 1
        left, right, turned = f"l{self.count}", f"r{self.count}", self.random.random() < 0.5
        batch = self.random.choice((1, self.outer))
        self.lines.append(f"{left} = pl.tile.load(a, [0, 0, 0], [{batch}, 16, 32], target_memory=pl.Mem.Mat)")
        shape = "16, 32" if turned else "32, 16"
        self.lines.append(f"{right} = pl.tile.load({'d' if turned else 'b'}, [0, 0, 0], [{self.outer}, {shape}], MAT)")
        if turned:
            right = self.line(f"transpose_view({right})")
        self.line(f"batch_matmul({left}, {right})", (self.outer, 16, 16))

    def loop(self) -> None:
        """A loop that carries a tile."""
        name, shape = self.random.choice(self.tiles)
        self.count += 1
        carry, inner, result = f"c{self.count}", f"i{self.count}", f"u{self.count}"
        self.lines += [
            f"for k{self.count}, ({carry},) in pl.range({self.random.randint(1, 3)}, init_values=({name},)):",
            f"    {inner} = pl.tile.{self.random.choice(('neg', 'abs', 'relu'))}({carry})",
            f"    {result} = pl.yield_({inner})",
        ]
        self.tiles.append((result, shape))


def random_kernel(seed: int) -> str:
    """A kernel as text: its signature and its body."""
    random = Random(seed)
    writer = Writer(random, outer=random.randint(1, 3), rows=random.choice((1, 3, 4)))
    body = "\n    ".join(writer.write().replace("MAT", "target_memory=pl.Mem.Mat").splitlines())
    outer, rows = writer.outer, writer.rows
    sources = {
        "x": f"[{outer}, {rows}, 8], pl.FP32",
        "y": f"[{outer * rows}, 8], pl.FP32",
        "a": f"[{outer}, 16, 32], pl.FP16",
        "b": f"[{outer}, 32, 16], pl.FP16",
        "d": f"[{outer}, 16, 32], pl.FP16",
    }
    inputs = ", ".join(f"{name}: pl.Tensor[{kind}]" for name, kind in sources.items())
    outputs = "o2: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], o3: pl.InOut[pl.Tensor[[16, 64, 64], pl.FP32]]"
    head = f"def kernel(self, {inputs}, n: pl.Scalar[pl.INDEX], {outputs}):"
    return f"@pl.function(type=pl.FunctionType.InCore)\n{head}\n    {body}"
