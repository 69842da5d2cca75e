# SPDX-License-Identifier: Apache-2.0
"""Random scopes that become functions, launches on several cores, calls of kernels, and tensors made on the way."""

from __future__ import annotations

from tests.passes.random_programs.expressions import expression
from tests.passes.random_programs.statements import body
from tests.passes.random_programs.writer import At, Kind, Lines, Place, Statement, Writer, indented

_LEVELS = ("CHIP", "HOST", "CLUSTER_0")


def core_scope(writer: Writer, at: At) -> Lines:
    """A region that becomes a kernel."""
    writer.note("pl.at(CORE_GROUP)")
    hint = f", name_hint='part{writer.number(0, 1)}'" if writer.chance(20) else ""
    return [f"with pl.at(level=pl.Level.CORE_GROUP{hint}):", *_region(writer, at, Place.CORE)]


def level_scope(writer: Writer, at: At) -> Lines:
    """A region that becomes a function of a level of the machine."""
    level = writer.pick(_LEVELS)
    writer.note("pl.at(level)")
    return [f"with pl.at(level=pl.Level.{level}):", *_region(writer, at, Place.HOST)]


def cluster(writer: Writer, at: At) -> Lines:
    """A region of kernels that run together."""
    writer.note("pl.cluster")
    inner = launch(writer, at) if writer.chance(50) else core_scope(writer, at)
    return ["with pl.cluster():", *indented(inner)]


def launch(writer: Writer, at: At) -> Lines:
    """A kernel on several cores: one of the program, or the body of the loop over the cores."""
    cores = writer.number(1, 2)
    if any(not callee.inline for callee in writer.callees) and writer.chance(60):
        writer.note("pl.spmd of a call")
        return [f"with pl.spmd({cores}):", *indented(kernel_call(writer, at))]
    writer.note("pl.spmd of a body")
    index = writer.fresh("q")
    writer.bind(index, Kind.INDEX, fixed=True)
    with writer.loop(runs=True, jumps=False):  # no core leaves the launch
        lines = _region(writer, at, Place.CORE)
    writer.bound.discard(index)
    return [f"for {index} in pl.spmd({cores}):", *lines]


def _region(writer: Writer, at: At, place: Place) -> Lines:
    """The body of a scope that becomes a function: its tiles stay in it, and what only its loops assign (SSA-53)."""
    before = set(writer.bound)
    lines = indented(body(writer, at.inside(place)))
    new = writer.bound - before
    writer.bound -= {name for name in new if writer.known[name] is Kind.TILE or name in writer.from_loops}
    return lines


def kernel_call(writer: Writer, _: At) -> Lines:
    """A call of a kernel that writes into buffers."""
    callee = writer.pick([callee for callee in writer.callees if not callee.inline])
    args: list[str] = []
    buffers: list[str] = []
    for position, kind in enumerate(callee.params):
        if position in callee.written:
            free = [name for name in writer.buffers(kind) if name not in buffers]
            buffers.append(writer.pick(free))
            args.append(buffers[-1])
        else:
            args.append(expression(writer, kind, 1))
    targets = [*buffers, *(writer.fresh(kind.name[0].lower()) for kind in callee.results[len(buffers) :])]
    for target, kind in zip(targets, callee.results, strict=True):
        writer.bind(target, kind)
    writer.note("kernel call")
    return [f"{', '.join(targets)} = self.{callee.name}({', '.join(args)})"]


def created(writer: Writer, _: At) -> Lines:
    """A tensor that later statements write into."""
    writer.note("create_tensor")
    kind = writer.pick((Kind.TENSOR, Kind.WIDE))
    name = writer.buffer(writer.fresh("b"), kind)
    return [f"{name} = pl.create_tensor([{4 if kind is Kind.TENSOR else 8}, 8], dtype=pl.FP32)"]


def runtime_scope(writer: Writer, at: At) -> Lines:
    """A region that only bounds the life of tasks."""
    writer.note("pl.scope")
    return ["with pl.scope():", *indented(body(writer, at.inside()))]


def _nested(statement: Statement) -> Statement:
    """The statement where bodies may still lie in each other, else one without a body."""

    def chosen(writer: Writer, at: At) -> Lines:
        return statement(writer, at) if at.depth else created(writer, at)

    return chosen


def _called(writer: Writer, at: At) -> Lines:
    """A call where there is a kernel to call."""
    if all(callee.inline for callee in writer.callees):
        return created(writer, at)
    return kernel_call(writer, at)


_REGIONS = (core_scope, core_scope, level_scope, launch, cluster, runtime_scope)
AROUND_KERNELS: tuple[Statement, ...] = (_called, created, *map(_nested, _REGIONS))
"""What may stand in an orchestration only."""
