# SPDX-License-Identifier: Apache-2.0
"""Random statements: assignments, branches, loops that may be left early, loops and branches that hand on values."""

from __future__ import annotations

from dataclasses import replace

from tests.passes.random_programs.expressions import COLUMNS, ROWS, expression, name
from tests.passes.random_programs.writer import At, Kind, Lines, Place, Statement, Writer, indented

LONGEST = 4  # statements of a body
_ASSIGNED = (Kind.TENSOR, Kind.INDEX, Kind.TENSOR, Kind.REAL, Kind.FLAG, Kind.WIDE)


def body(writer: Writer, at: At) -> Lines:
    """Some statements."""
    lines: Lines = []
    for _ in range(writer.number(1, LONGEST)):
        if writer.goes_on():
            lines.extend(statement(writer, at))
    return lines


def statement(writer: Writer, at: At) -> Lines:
    """One statement, as lines: there may be several where it needs others."""
    options: list[Statement] = [assignment, assignment]
    if at.depth:
        options += [branch, counted_loop, while_loop, branch, carrying_loop, yielding_branch]
    if writer.loops and writer.loops[-1].jumps and at.depth:
        options += [jump, jump, jump]
    if any(callee.inline for callee in writer.callees):
        options.append(inline_call)
    if writer.buffers() and at.place is not Place.INLINE:
        options.append(write)
    if at.place is Place.HOST:
        options += writer.around
    return writer.pick(options)(writer, at)


# -- assignments -------------------------------------------------------------------------------------------------------


def assignment(writer: Writer, at: At) -> Lines:
    """A value for an old name or a new one."""
    kinds = (*_ASSIGNED, Kind.TILE, Kind.TILE) if at.place is Place.CORE else _ASSIGNED
    kind = writer.pick(kinds)
    value = expression(writer, kind)
    target = writer.target(kind)
    writer.note("reassignment" if target in writer.known else "assignment")
    writer.bind(target, kind)
    if kind is Kind.INDEX and value.isdigit():
        return [f"{target}: {kind.value} = {value}"]
    return [f"{target} = {value}"]


def write(writer: Writer, at: At) -> Lines:
    """Write into a buffer in place: one element, a part, or in a kernel a tile."""
    buffer = writer.pick(writer.buffers())
    forms = 3 if at.place is Place.CORE else 2
    form = writer.number(0, forms - 1)
    writer.note(("element written", "assemble", "store")[form])
    if form == 0:
        value = expression(writer, Kind.REAL, 1)
        return [f"pl.write({buffer}, [{writer.number(0, ROWS - 1)}, {writer.number(0, COLUMNS - 1)}], {value})"]
    row = f"{expression(writer, Kind.INDEX, 0)} % 4" if writer.known[buffer] is Kind.WIDE else "0"
    if form == 1:
        return [f"{buffer} = pl.assemble({buffer}, {expression(writer, Kind.TENSOR, 1)}, [{row}, 0])"]
    return [f"{buffer} = pl.store({expression(writer, Kind.TILE, 1)}, [{row}, 0], {buffer})"]


def inline_call(writer: Writer, _: At) -> Lines:
    """A call whose body will stand in its place."""
    callee = writer.pick([callee for callee in writer.callees if callee.inline])
    args = [expression(writer, kind, 1) for kind in callee.params]
    targets: list[str] = []
    for kind in callee.results:
        target = writer.target(kind)
        targets.append(target if target not in targets else writer.fresh(kind.name[0].lower()))
    for target, kind in zip(targets, callee.results, strict=True):
        writer.bind(target, kind)
    writer.note("inline call")
    return [f"{', '.join(targets)} = self.{callee.name}({', '.join(args)})"]


# -- branches ----------------------------------------------------------------------------------------------------------


def branch(writer: Writer, at: At) -> Lines:
    """If, with or without else; what both branches bind is bound behind them."""
    writer.note("if")
    condition = expression(writer, Kind.FLAG)
    with writer.branch():
        then = body(writer, at.inside())
        bound = set(writer.bound)
    lines = [f"if {condition}:", *indented(then)]
    if writer.chance(50):
        writer.note("else")
        with writer.branch():
            other = body(writer, at.inside())
            bound &= writer.bound
        lines += ["else:", *indented(other)]
        writer.bound |= bound
    return lines


def yielding_branch(writer: Writer, at: At) -> Lines:
    """A branch that hands on values by name, as in SSA form, whatever else it assigns."""
    writer.note("if with yield")
    kinds = [writer.pick(_ASSIGNED) for _ in range(writer.number(1, 2))]
    results = [writer.fresh("m") for _ in kinds]
    lines = [f"if {expression(writer, Kind.FLAG)}:"]
    for word in ("", "else:"):
        with writer.branch():
            inner = body(writer, replace(at.inside(), depth=0))
            lines += [*([word] if word else []), *indented([*inner, yielded(writer, results, kinds)])]
    for result, kind in zip(results, kinds, strict=True):
        writer.bind(result, kind)
    return lines


def yielded(writer: Writer, results: list[str], kinds: list[Kind]) -> str:
    """The last statement of a body that hands on values."""
    values = ", ".join(_handed_on(writer, kind) for kind in kinds)
    target = f"{results[0]}: {kinds[0].value}" if len(results) == 1 else ", ".join(results)
    return f"{target} = pl.yield_({values})"


def _handed_on(writer: Writer, kind: Kind) -> str:
    return expression(writer, kind, writer.number(0, 1))


# -- loops -------------------------------------------------------------------------------------------------------------


def counted_loop(writer: Writer, at: At) -> Lines:
    """A loop of one of the kinds over a range that is known or not."""
    kind = writer.pick(("range", "range", "range", "unroll", "parallel"))
    bounds, runs = _bounds(writer, known=kind == "unroll")
    writer.note(f"for in pl.{kind}")
    index = writer.fresh("i")
    with writer.loop(runs=runs, jumps=kind == "range"):
        writer.bind(index, Kind.INDEX, fixed=True)
        inner = body(writer, at.inside())
    writer.bound.discard(index)
    return [f"for {index} in pl.{kind}({bounds}):", *indented(inner)]


def _bounds(writer: Writer, *, known: bool) -> tuple[str, bool]:
    """The bounds of a loop of few iterations, and whether it is sure to run."""
    form = writer.number(0, 4)
    stop = writer.number(0, 3)
    if form == 3 and not known:
        return f"{expression(writer, Kind.INDEX, 1)} % 4", False
    if form == 4 and not known:
        return f"{stop}, {stop} + {expression(writer, Kind.INDEX, 0)} % 3, {writer.number(1, 2)}", False
    if form == 2:
        return f"{stop}, 0, -{writer.number(1, 2)}", stop > 0
    return (f"{stop}", stop > 0) if form == 0 else (f"1, {stop + 1}, {writer.number(1, 2)}", stop > 0)


def while_loop(writer: Writer, at: At) -> Lines:
    """A loop on a condition that a counter of its own ends, first thing in each iteration."""
    writer.note("while")
    counter = writer.fresh("w")
    writer.bind(counter, Kind.INDEX, fixed=True)
    most = writer.number(0, 3)
    condition = f"{counter} < {most}"
    plain = not writer.chance(30)
    if not plain:
        condition += f" and {expression(writer, Kind.FLAG, 1)}"
    with writer.loop(runs=plain and most > 0, jumps=True):
        inner = [f"{counter} = {counter} + 1", *body(writer, at.inside())]
    return [f"{counter}: {Kind.INDEX.value} = 0", f"while {condition}:", *indented(inner)]


def jump(writer: Writer, at: At) -> Lines:
    """Leave the iteration or the loop, here or in one of several branches."""
    word = writer.pick(("break", "continue"))
    writer.note(word)
    condition = expression(writer, Kind.FLAG)
    with writer.branch():
        before = body(writer, replace(at.inside(), depth=0)) if writer.chance(40) else []
        writer.loops[-1].exits.append(set(writer.bound))
    lines = [f"if {condition}:", *indented([*before, word])]
    if writer.chance(30):
        writer.note("else of a jump")
        lines += ["else:", *indented(body(writer, at.inside()))]  # whoever goes on has been here
    return lines


def carrying_loop(writer: Writer, at: At) -> Lines:
    """A loop that hands on values by name, as in SSA form, whatever else it assigns."""
    writer.note("for with init_values")
    kinds = [writer.pick(_ASSIGNED) for _ in range(writer.number(1, 2))]
    inits = [name(writer, kind) for kind in kinds]
    carried = [writer.fresh("c") for _ in kinds]
    bounds, _ = _bounds(writer, known=False)
    index = writer.fresh("i")
    with writer.loop(runs=False, jumps=False):
        for one, kind in zip(carried, kinds, strict=True):
            writer.bind(one, kind, fixed=True)
        writer.bind(index, Kind.INDEX, fixed=True)
        inner = [*body(writer, at.inside()), yielded(writer, carried, kinds)]
    for one, kind in zip(carried, kinds, strict=True):
        writer.bind(one, kind)
    head = f"for {index}, ({', '.join(carried)},) in pl.range({bounds}, init_values=({', '.join(inits)},)):"
    return [head, *indented(inner)]
