# SPDX-License-Identifier: Apache-2.0
"""Python statements that no kernel may have, or only in another form."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.dsl.fuzz.expressions import python
from tests.unit.dsl.fuzz.writer import Writer

Body = Callable[[Writer, int], list[str]]


def outsider(writer: Writer, depth: int, body: Body) -> list[str]:
    """One statement of Python, as lines without indentation."""
    one, other = python(writer, 2), python(writer, 1)
    name = writer.any_name()
    header = writer.pick((*_simple(one, other, name), *_compound(one, other, name)))
    if not header.endswith(":"):
        return [header]
    inner = ["    " + line for line in (body(writer, depth - 1) if depth > 0 else ["pass"])]
    tail = {"try:": [f"except {name}:", "    pass", "finally:", "    pass"]}.get(header, [])
    if header.startswith("match "):
        return [header, f"    case {name if name.isidentifier() else '_'}:", *("    " + line for line in inner)]
    return [header, *inner, *tail]


def _simple(one: str, other: str, name: str) -> tuple[str, ...]:
    return (
        one,
        f"{name} = {one}",
        f"{name} = {name} = {one}",
        f"{name}, *rest = {one}",
        f"[{name}, (a, b)] = {one}",
        f"{name} += {one}",
        f"{name}: {one}",
        f"{name}: {one} = {other}",
        f"{name}.attribute = {one}",
        f"{name}[{other}] = {one}",
        f"{name}[{other}]: int = {one}",
        f"{name}[0][1] = {one}",
        f"({one})[{other}] = {one}",
        f"del {name}",
        f"assert {one}, {other}",
        f"raise {one} from {other}",
        "import os",
        "from pypto import language",
        "from . import nothing",
        f"global {name}",
        f"nonlocal {name}",
        f"return {one}",
        f"yield {one}",
        "break",
        "continue",
        f"pl.yield_({one}, {other})",
        f"{name} = pl.yield_({one})",
        f"pl.cond({one})",
        f"{name}, t = pl.submit({one}, {other})",
        f"{name}: {one} = pl.submit(self.kernel, {other})",
        f"{name} = pld.alloc_window_buffer({one})",
        f"pl.func_attr({one})",
        f"pl.static_print({one}, {name})",
        f"pl.static_assert({one}, {other})",
        f"pl.dump_tag({one})",
        f"{name} = pl.Op({one})",
        f"{name} = self.main({one})",
        f"{name} = self.nothing({one}, {name}={other})",
        f"{name} = shared({one}, {other})",
        f"{name} = " + " + ".join([name] * 60),
        f"{name} = " + "-" * 40 + name,
        f"{name} = " + "[" * 40 + one + "]" * 40,
        f"x = pl.add({name}, {one})  # " + "long " * 400,
        f"{name} = {one}; {name} = {other}",
        f"type = {name}",
    )


def _compound(one: str, other: str, name: str) -> tuple[str, ...]:
    return (
        "try:",
        f"class {name if name.isidentifier() else 'C'}({one}):",
        f"def inner({name}={one}, *args, **kwargs):",
        f"async def inner(a: {one}) -> {other}:",
        f"async for {name} in {one}:",
        f"async with {one} as {name}:",
        f"with {one} as {name}, {other}:",
        f"with pl.at({one}, level={other}):",
        f"with pl.at(level=pl.Level.CORE_GROUP, optimizations={one}):",
        f"with pl.at(level=pl.Level.CHIP, deps={one}, name_hint={other}):",
        f"with pl.spmd({one}, sync_start={other}):",
        f"with pl.scope(mode={one}):",
        f"with pl.cluster(name_hint={one}):",
        f"with pld.comm_domain(devices={one}, slots={other}):",
        f"for {name} in {one}:",
        f"for {name}, (a, b) in pl.range({one}, init_values={other}):",
        f"for (a, b), c in pl.range({one}):",
        f"for {name} in pl.range({one}, {other}, {one}, {other}):",
        f"for {name} in pl.pipeline({one}, stage={other}):",
        f"for {name} in pl.unroll({one}, attrs={other}):",
        f"for {name}.attribute in pl.range(4):",
        f"for {name} in pl.split_aiv({one}, mode={other}):",
        f"for ({name},) in pl.while_(init_values={one}):",
        f"while {one}:",
        f"if {one}:",
        f"if {name} := {one}:",
        f"match {one}:",
    )
