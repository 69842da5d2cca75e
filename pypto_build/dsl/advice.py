# SPDX-License-Identifier: Apache-2.0
"""What to do about an error that does not say so itself: how the form that it names is written."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Final

from pypto_build.dsl.diagnostics import ParserError
from pypto_build.dsl.language.operations import resolve

_NAMED: Final = re.compile(r"\b(pld?(?:\.\w+)+)")
_OPERATION: Final = re.compile(r"^(pld?(?:\.\w+)*) operation '(\w+)'")

FORMS: Final[Mapping[str, str]] = {
    "pl.range": "for i in pl.range(start, stop, step), or for i, (a,) in pl.range(stop, init_values=(x,))",
    "pl.parallel": "for i in pl.parallel(start, stop, step), or for i, (a,) in pl.parallel(stop, init_values=(x,))",
    "pl.pipeline": "for i in pl.pipeline(start, stop, step, stage=2)",
    "pl.unroll": "for i in pl.unroll(start, stop, step), with numbers that are known now",
    "pl.while_": "for (a,) in pl.while_(init_values=(x,)), with pl.cond(condition) first in the body",
    "pl.cond": "pl.cond(condition) as the first statement of a pl.while_() loop",
    "pl.yield_": "y = pl.yield_(value), or a, b = pl.yield_(one, other), at the end of a branch or loop body",
    "pl.at": "with pl.at(level=pl.Level.CORE_GROUP), or another level and role=pl.Role.Orchestrator",
    "pl.cluster": "with pl.cluster(name_hint='name')",
    "pl.scope": "with pl.scope(mode=pl.ScopeMode.MANUAL)",
    "pl.manual_scope": "with pl.manual_scope()",
    "pl.spmd": "with pl.spmd(blocks) around one launch, or for block in pl.spmd(blocks)",
    "pl.split_aiv": "for half in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN)",
    "pl.split": "optimizations=[pl.split(pl.SplitMode.UP_DOWN)]",
    "pl.cross_core_slot": "optimizations=[pl.cross_core_slot(slot_num=2)]",
    "pl.submit": "out, task = pl.submit(self.kernel, x, deps=[earlier])",
    "pl.spmd_submit": "out, task = pl.spmd_submit(self.kernel, x, core_num=4)",
    "pl.no_dep": "self.kernel(pl.no_dep(x), y)",
    "pl.func_attr": "pl.func_attr({'name': value}) as the first statement of the function",
    "pl.dump_tag": "pl.dump_tag(x) with the name of a tensor, in an orchestration",
    "pl.static_print": "pl.static_print(value, 'text', ...)",
    "pl.static_assert": "pl.static_assert(condition, 'message') with a condition that is known now",
    "pl.const": "pl.const(3, pl.INT32)",
    "pl.cast": "pl.cast(value, pl.FP16)",
    "pl.system.task_dummy": "task = pl.system.task_dummy(deps=[one, other])",
    "pl.aiv_shard": "part = pl.aiv_shard(x) in a pl.split_aiv() loop",
    "pl.aic_gather": "whole = pl.aic_gather(x) in a pl.split_aiv() loop",
    "pl.Op": "pl.Op('tile.add')",
    "pl.MemRef": "pl.MemRef(base, offset, size), or a declared pl.MemRef(slots=2)[0]",
    "pl.Tensor": "pl.Tensor[[64, 64], pl.FP32]",
    "pl.Tile": "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]",
    "pl.Scalar": "pl.Scalar[pl.INT32]",
    "pl.Array": "pl.Array[4, pl.INT32]",
    "pld.comm_domain": "with pld.comm_domain(devices=[0, 1], slots=['buffer'], name_hint='name')",
    "pld.alloc_window_buffer": "buffer = pld.alloc_window_buffer(bytes), or ([64], dtype=pl.FP32)",
}
"""How each form of the language is written."""

KINDS: Final[Mapping[str, str]] = {
    "E000": "A condition of the kernel itself does not hold: change what it depends on",
    "E001": "Write the form as the language has it; Python that is no kernel belongs outside of the function",
    "E003": "A kernel has assignments, for, while, if, with, return and calls; compute anything else outside of it",
    "E100": "Make the value, or the annotation, of the type that is asked for",
    "E200": "Bind the name before it is used, in this function or around it",
    "E201": "Use a different name for each assignment",
    "E202": "Hand the value out of the block with pl.yield_()",
    "E300": "Look at the parameters of the operation, and at the shapes and element types of its operands",
}
"""What helps with an error of a code when nothing better is known."""


def advise(error: ParserError) -> None:
    """Give an error a help line unless it has one."""
    if not error.help:
        error.help = _of_operation(error.message) or _of_form(error.message) or KINDS.get(error.code, KINDS["E001"])


def _of_operation(message: str) -> str:
    found = _OPERATION.match(message)
    if found is None:
        return ""
    path = (*found[1].split("."), found[2])
    builder = resolve(path)
    if builder is None:
        return ""
    listed = [parameter for parameter in inspect.signature(builder).parameters.values() if parameter.name != "span"]
    shown = [str(parameter.replace(annotation=inspect.Parameter.empty)) for parameter in listed]
    return f"It is called {'.'.join(path)}({', '.join(_with_star(listed, shown))})"


def _with_star(listed: list[inspect.Parameter], shown: list[str]) -> list[str]:
    """The parameters as a signature shows them: `*` before the first that is given by name only."""
    kinds = [parameter.kind for parameter in listed]
    if inspect.Parameter.KEYWORD_ONLY not in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return shown
    first = kinds.index(inspect.Parameter.KEYWORD_ONLY)
    return [*shown[:first], "*", *shown[first:]]


def _of_form(message: str) -> str:
    for name in _NAMED.findall(message):
        if name in FORMS:
            return f"Write {FORMS[name]}"
    return ""
