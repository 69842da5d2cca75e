# SPDX-License-Identifier: Apache-2.0
"""Statements: those of the language, each with a chance of a wrong part."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.dsl.fuzz.calls import call, simple_call
from tests.unit.dsl.fuzz.expressions import condition, dtype, indices, python, scalar, subscript
from tests.unit.dsl.fuzz.outsiders import outsider
from tests.unit.dsl.fuzz.writer import Writer

Statement = Callable[[Writer, int], list[str]]
INDENT = "    "


def body(writer: Writer, depth: int, least: int = 1) -> list[str]:
    """Some statements."""
    lines: list[str] = []
    for _ in range(writer.count(least, 4)):
        lines.extend(statement(writer, depth))
    return lines or ["pass"]


def statement(writer: Writer, depth: int) -> list[str]:
    """One statement, as lines without indentation."""
    if writer.odd():
        return outsider(writer, depth, body)
    plain: dict[Statement, int] = {
        _assign_call: 6,
        _assign_any_call: 3,
        _assign_scalar: 4,
        _assign_flag: 1,
        _annotated: 2,
        _window: 2,
        _write: 1,
        _unpack: 1,
        _launch: 2,
        _directive: 1,
        _remark: 1,
    }
    nested: dict[Statement, int] = {_for: 3, _while: 1, _if: 3, _with: 3, _carry: 2, _leave: 1}
    return writer.weighted(plain | nested if depth > 0 else plain)(writer, depth)


def indented(lines: list[str]) -> list[str]:
    """The lines of a block."""
    return [INDENT + line for line in lines]


def _block(writer: Writer, depth: int, last: str = "") -> list[str]:
    with writer.inner():
        lines = body(writer, depth - 1)
    return indented([*lines, last] if last else lines)


def _assign(writer: Writer, kind: str, text: str) -> list[str]:
    name = writer.name(kind) if writer.chance(10) else ""
    return [f"{name or writer.bind(kind, writer.fresh(kind))} = {text}"]


def _assign_call(writer: Writer, _depth: int) -> list[str]:
    text, kind = simple_call(writer)
    return _assign(writer, kind, text)


def _assign_any_call(writer: Writer, _depth: int) -> list[str]:
    text = call(writer)
    return [text] if writer.chance(20) else _assign(writer, writer.pick(("tile", "tensor")), text)


def _assign_scalar(writer: Writer, _depth: int) -> list[str]:
    return _assign(writer, "scalar", scalar(writer))


def _assign_flag(writer: Writer, _depth: int) -> list[str]:
    return _assign(writer, "flag", condition(writer))


def _annotated(writer: Writer, _depth: int) -> list[str]:
    text = scalar(writer)
    name = writer.bind("scalar", writer.fresh("scalar"))
    return [f"{name}: {annotation(writer, f'pl.Scalar[{dtype(writer)}]')} = {text}"]


def annotation(writer: Writer, right: str) -> str:
    """A type, mostly the given one."""
    if not writer.odd():
        return right
    return writer.pick(
        (
            "pl.Tensor[[64, 64], pl.FP32]",
            "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]",
            "pl.Tile[[16, n], TYPE, pl.MemRef('m', 0, 1024), pl.Mem.Vec]",
            "pl.Tile[[16], pl.FP32, pl.TileView(valid_shape=[n], pad=pl.PadValue.zero)]",
            "pl.Tensor[SHAPE, TYPE, pl.TensorView(stride=[1, 16], layout=pl.DN)]",
            "pl.Array[4, pl.INT32]",
            "pl.Tuple[pl.Scalar[pl.FP32], pl.TaskId]",
            "tuple[pl.Scalar[pl.FP32], pl.Scalar[pl.FP32]]",
            "pl.Out[pl.Scalar[pl.INT32]]",
            "pl.InOut[pl.Tensor[[UNKNOWN], pl.FP32]]",
            "'pl.Scalar[pl.INT32]'",
            "pl.Ptr",
            "pl.Scalar",
            "pl.Tensor[64, pl.FP32, pl.NZ, 'remark']",
            f"pl.Tensor[[{python(writer, 1)}], {python(writer, 1)}]",
            f"pl.Tile[{python(writer, 1)}, {python(writer, 1)}, {python(writer, 0)}]",
            f"pl.MemRef({python(writer, 0)}, {python(writer, 0)})",
            python(writer, 1),
        )
    )


def _window(writer: Writer, _depth: int) -> list[str]:
    return _assign(writer, writer.pick(("tensor", "tile", "scalar")), subscript(writer))


def _write(writer: Writer, _depth: int) -> list[str]:
    target = writer.name(writer.pick(("tensor", "tile", "array")))
    what = writer.pick((writer.name("tile") or "y", writer.name("tensor"), scalar(writer, 1), subscript(writer)))
    return [f"{target or 'out'}[{indices(writer)}] = {what}"]


def _unpack(writer: Writer, _depth: int) -> list[str]:
    values = [scalar(writer, 1), writer.name("tensor")]
    names = [writer.bind("scalar", writer.fresh("scalar")), writer.bind("tensor", writer.fresh("tensor"))]
    if writer.chance(30):
        return _assign(writer, "tuple", f"({', '.join(values)})")
    return [f"{', '.join(names)} = {', '.join(values)}"]


def _launch(writer: Writer, _depth: int) -> list[str]:
    arguments = f"{writer.name('tensor')}, {writer.pick((writer.name('tensor'), 'pl.no_dep(out)'))}"
    task = writer.name("task")
    deps = f", deps=[{task}]" if task else writer.pick(("", ", deps=[]", ", deps=None", ", deps=[None]"))
    option = writer.pick(
        ("", ", dumps=[out]", ", allow_early_resolve=True", ", attrs={'a': 1}", ", predicate=x[0] == 1")
    )
    made, new = writer.bind("tensor", writer.fresh("tensor")), writer.bind("task", writer.fresh("task"))
    return [
        writer.pick(
            (
                f"{made} = self.kernel({arguments})",
                f"self.kernel({arguments})",
                f"{made} = shared({arguments})",
                f"{made}, {new} = pl.submit(self.kernel, {arguments}{deps}{option})",
                f"{made}, {new} = pl.spmd_submit(self.kernel, {arguments}, core_num={scalar(writer, 1)}{deps})",
                f"{new} = pl.system.task_dummy(deps={writer.pick(('[]', f'[{task}]', 'None'))})",
                f"{made} = pl.submit(self.kernel, {arguments})",
                f"{made} = self.kernel({arguments}, attrs={{'arg_directions': [pl.adir.input, pl.adir.inout]}})",
            )
        )
    ]


def _directive(writer: Writer, _depth: int) -> list[str]:
    return [
        writer.pick(
            (
                f"pl.static_assert({condition(writer, 1)}, 'message')",
                f"pl.dump_tag({writer.name('tensor')})",
                "pl.func_attr({'windowize': True})",
                f"{writer.bind('task', writer.fresh('task'))} = None",
                f"return {writer.name('tensor')}",
                f"return {scalar(writer, 1)}, {writer.name('tensor')}",
            )
        )
    ]


def _remark(writer: Writer, _depth: int) -> list[str]:
    return [writer.pick(("# a remark", "...", "pass", "'''a string'''")), "pass"]


def _for(writer: Writer, depth: int) -> list[str]:
    variable = writer.bind("scalar", writer.fresh("scalar"))
    bounds = ", ".join(scalar(writer, 1) for _ in range(writer.count(1, 3)))
    header = writer.pick(
        (
            f"pl.range({bounds})",
            f"pl.parallel({bounds})",
            f"pl.unroll({writer.count(0, 4)})",
            f"pl.pipeline({bounds}, stage={writer.count(0, 4)})",
            f"pl.spmd({scalar(writer, 1)}, name_hint='k')",
            "pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN)",
            f"pl.range({bounds}, attrs={{'mark': [1, pl.FP32]}})",
        )
    )
    return [f"for {variable} in {header}:", *_block(writer, depth)]


def _carry(writer: Writer, depth: int) -> list[str]:
    kind = writer.pick(("tensor", "scalar"))
    init = writer.name(kind)
    variable, carried = writer.bind("scalar", writer.fresh("scalar")), writer.bind(kind, writer.fresh(kind))
    loop = writer.pick(("pl.range(4, ", "pl.parallel(4, ", "pl.pipeline(4, stage=2, ", "pl.while_("))
    target = f"({carried},)" if loop == "pl.while_(" else f"{variable}, ({carried},)"
    first = [f"{INDENT}pl.cond({condition(writer, 1)})"] if loop == "pl.while_(" else []
    result = writer.fresh(kind)
    block = _block(writer, depth, f"{result} = pl.yield_({writer.name(kind)})")
    writer.bind(kind, result)
    return [f"for {target} in {loop}init_values=({init},)):", *first, *block]


def _while(writer: Writer, depth: int) -> list[str]:
    return [f"while {condition(writer)}:", *_block(writer, depth)]


def _if(writer: Writer, depth: int) -> list[str]:
    kind = writer.pick(("tensor", "scalar"))
    result = writer.fresh(kind)
    last = f"{result} = pl.yield_({writer.name(kind)})" if writer.chance(40) else ""
    lines = [f"if {condition(writer)}:", *_block(writer, depth, last)]
    if last or writer.chance(40):
        lines += ["else:", *_block(writer, depth, last)]
    if last:
        writer.bind(kind, result)
    return lines


def _with(writer: Writer, depth: int) -> list[str]:
    target = f" as {writer.bind('task', writer.fresh('task'))}" if writer.chance(20) else ""
    scope = writer.pick(
        (
            "pl.at(level=pl.Level.CORE_GROUP)",
            "pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN)])",
            "pl.at(level=pl.Level.HOST, role=pl.Role.Orchestrator, name_hint='host')",
            f"pl.at(pl.Level.CHIP, deps=[{writer.name('task')}], dumps=[x], no_dep_args=[y])",
            "pl.cluster(name_hint='group')",
            f"pl.spmd({scalar(writer, 1)})",
            "pl.scope()",
            "pl.scope(mode=pl.ScopeMode.MANUAL)",
            "pl.manual_scope()",
            "pl.at(level=pl.Level.CORE_GROUP, windowize=True, allow_early_resolve=False)",
        )
    )
    return [f"with {scope}{target}:", *_block(writer, depth)]


def _leave(writer: Writer, depth: int) -> list[str]:
    word = writer.pick(("break", "continue"))
    return [f"for i in pl.range({scalar(writer, 1)}):", f"    if {condition(writer, 1)}:", f"        {word}"] + (
        _block(writer, depth) if writer.chance(50) else []
    )
