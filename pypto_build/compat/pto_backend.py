# SPDX-License-Identifier: Apache-2.0
"""`pypto.backend.pto_backend`: the files of a program, and the C++ source around an assembled kernel."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from pypto_build.compat.codegen import PTOCodegen, generate_orchestration, loaded_target
from pypto_build.compat.error_reports import error_report, error_summary
from pypto_build.compat.pass_context import own_context
from pypto_build.compat.public_errors import translated
from pypto_build.host import TargetContext
from pypto_build.ir import Call, Function, FunctionType, Program, Submit, collect

_KERNELS: Final = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)
_OFF: Final = frozenset({"0", "false", "off", "no"})
_BLOCKS: Final = ("tile.get_block_idx", "tile.get_block_num")


def build_group_mapping(program: Program) -> tuple[dict[str, list[Function]], list[Function]]:
    """The kernels of each group, which share a module, by its name; and those that stand alone."""
    kernels = {f.name: f for f in program.functions.values() if f.func_type in _KERNELS}
    groups: dict[str, list[Function]] = {}
    for function in program.functions.values():
        if function.func_type is FunctionType.Group:
            called = dict.fromkeys(call.op.name for call in collect(function.body, Call, Submit))
            members = [kernels[name] for name in called if name in kernels]
            groups.update({function.name: members} if members else {})
    grouped = {member.name for members in groups.values() for member in members}
    return groups, [kernel for name, kernel in kernels.items() if name not in grouped]


def emit_source_loc_default() -> bool:
    """Whether assembly carries source places unless a caller says: yes, unless the environment forbids it."""
    return os.environ.get("PYPTO_EMIT_PTO_LOC", "1").strip().lower() not in _OFF


def uses_dynamic_subblock_id(function: Function) -> bool:
    """Whether a kernel asks for the number of its vector core."""
    return _calls(function, "tile.get_subblock_idx")


def generate_arg_unpacking(function: Function, *, uses_spmd: bool = False) -> tuple[str, list[str]]:
    """The statements that unpack a kernel's arguments, and what they are called."""
    with translated():
        made = _pto().unpacked_arguments(function, per_block=uses_spmd)
    return made.code, list(made.names)


def generate_kernel_wrapper(function: Function, assembled: str, group_uses_spmd: bool = False) -> str:
    """The source of a kernel around what the assembler made."""
    with translated():
        own = own_context()
        context = TargetContext(own.hardware, own.ops, "none")
        return _pto().kernel_source(function, assembled, context, beside_blocks=group_uses_spmd)


def preprocess_ptoas_output(assembled: str) -> str:
    """What the assembler made, as part of a larger source."""
    return _pto().embedded(assembled)


def emit_group_output(  # noqa: PLR0917  # the public argument order
    files: dict[str, str],
    name: str,
    members: Sequence[Function],
    code: str,
    output_dir: str,
    skip_ptoas: bool = False,
    memory_planner: object = None,
) -> None:
    """Add the files of kernels that share a module: the module, or without `skip_ptoas` the source of each kernel."""
    if skip_ptoas:
        alone = members[0].name == name
        files[f"kernels/{_core(members[0])}/{name}.pto" if alone else f"kernels/{name}.pto"] = code
        return
    assembled = _assembled(code, name, output_dir, memory_planner)
    blocks = any(_calls(member, *_BLOCKS) for member in members)
    for member in members:
        source = generate_kernel_wrapper(member, assembled, group_uses_spmd=blocks)
        files[f"kernels/{_core(member)}/{member.name}.cpp"] = source


def generate(program: Program, output_dir: str, skip_ptoas: bool = False) -> dict[str, str]:
    """The files of a program: its kernels, and the C++ of its orchestration functions."""
    groups, alone = build_group_mapping(program)
    files: dict[str, str] = {}
    for name, members in (*groups.items(), *((kernel.name, [kernel]) for kernel in alone)):
        module = Program(tuple(members), name)  # type: ignore[arg-type]  # any iterable of functions
        code = PTOCodegen().generate(module, emit_source_loc=emit_source_loc_default())
        emit_group_output(files, name, members, code, output_dir, skip_ptoas)
    for function in program.functions.values():
        if function.func_type is FunctionType.Orchestration:
            files[f"orchestration/{function.name}.cpp"] = generate_orchestration(program, function).code
    return files


def _pto() -> Any:  # Any: a plugin's class, known by its methods
    return loaded_target("pto")


def _calls(function: Function, *names: str) -> bool:
    return any(call.op.name in names for call in collect(function.body, Call))


def _core(function: Function) -> str:
    return "aic" if function.func_type is FunctionType.AIC else "aiv"


def compile_module(code: str, name: str, output_dir: str, memory_planner: object = None) -> str:
    """What the assembler makes of a module; there is none behind this interface."""
    del code, output_dir, memory_planner
    raise RuntimeError(
        f"{name}: no assembler is configured; generate with skip_ptoas=True and run it on the .pto files"
    )


def _assembled(code: str, name: str, output_dir: str, memory_planner: object) -> str:
    """By way of the public module, where callers may put an assembler of their own."""
    public: Any = import_module("pypto.backend.pto_backend")
    return public._compile_pto_module(code, name, output_dir, memory_planner)  # its public name


NAMES: Final[Mapping[str, object]] = {
    "_build_group_mapping": build_group_mapping,
    "_compile_pto_module": compile_module,
    "_emit_group_output": emit_group_output,
    "_format_error_report": error_report,
    "_generate_arg_unpacking": generate_arg_unpacking,
    "_generate_kernel_wrapper": generate_kernel_wrapper,
    "_get_error_summary": error_summary,
    "_preprocess_ptoas_output": preprocess_ptoas_output,
    "_uses_dynamic_subblock_id": uses_dynamic_subblock_id,
    "emit_source_loc_default": emit_source_loc_default,
    "generate": generate,
}
"""What the public module calls them."""
