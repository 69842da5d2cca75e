# SPDX-License-Identifier: Apache-2.0
"""The C++ source of a kernel that the runtime loads: what the assembler made, and the entry that calls it.

Source: the public description of the kernel interface.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pypto_build.errors import UserError
from pypto_build.ir import Call, Function, collect
from pypto_build.passes import HardwareDescription
from pypto_targets.pto.assembled import embedded
from pypto_targets.pto.entry_arguments import BLOCK_INDEX, unpacked_arguments

BLOCK_COUNT: Final = "__pypto_spmd_block_num"
LANE: Final = "__pypto_spmd_subblock_idx"
_PREFETCH: Final = "__pypto_sdma_workspace"
_INDENT = "    "
_BLOCKS = frozenset({"tile.get_block_idx", "tile.get_block_num"})
_LANES = "tile.get_subblock_idx"
_CONTEXT = "prefetch.make_context"
_DEFERRED = "pld.system.defer_wait"
_HEAD = """\
#include <cstdint>

#ifndef __gm__
#define __gm__
#endif
#ifndef __aicore__
#define __aicore__ [aicore]
#endif

#include <pto/pto-inst.hpp>
#include "tensor.h"
"""
_BRIDGE = """\
#if !defined(__CPU_SIM)
#include "intrinsic.h"
[[block_local]] static int32_t pypto_runtime_subblock_id;
#define get_subblockid() pypto_runtime_subblock_id
#endif
"""
_RESET = """\
#if !defined(__CPU_SIM) && !defined(__COSTMODEL)
    // Reset AI Core atomic mode inherited from a prior kernel.
    set_atomic_none();
#endif
"""
_READ_BRIDGE = """\
#if !defined(__CPU_SIM)
    // Read A2A3 mixed-task subblock id from runtime dispatch context
    pypto_runtime_subblock_id = get_sub_block_id(args);
#endif
"""


def kernel_source(
    function: Function, assembled: str, hardware: HardwareDescription, *, beside_blocks: bool = False
) -> str:
    """The source of a kernel; `beside_blocks`: another kernel of its group asks for the number of its block.

    Raises:
        UserError: the kernel waits for something after it has ended, or takes what the runtime cannot hand over.
    """
    called = {call.op.name for call in collect(function.body, Call)}
    if _DEFERRED in called:
        text = f"kernel '{function.name}' defers a wait, for which no entry can be made"
        raise UserError("PTO022", text, function.span, help="wait in a kernel of its own")
    blocks = beside_blocks or bool(called & _BLOCKS)
    bridged = hardware.pipe_through_global_memory and bool(function.attrs.get("dual_aiv_dispatch"))
    intrinsics = blocks or _LANES in called or _CONTEXT in called
    parts = [_HEAD, '#include "intrinsic.h"\n' if intrinsics else "", "\nusing namespace pto;\n\n"]
    parts += [_BRIDGE if bridged else "", embedded(assembled), "\n"]
    parts += ['extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {\n', _RESET]
    parts += [_READ_BRIDGE if bridged else "", *_entry(function, called, blocks=blocks), "}\n"]
    return "".join(parts)


def _entry(function: Function, called: set[str], *, blocks: bool) -> Iterator[str]:
    """What the runtime knows, the arguments, and the call."""
    if blocks:
        yield f"{_INDENT}int32_t {BLOCK_INDEX} = get_block_idx(args);\n"
        yield f"{_INDENT}int32_t {BLOCK_COUNT} = get_block_num(args);\n"
    if _LANES in called:
        yield f"{_INDENT}int32_t {LANE} = get_sub_block_id(args);\n"
    if _CONTEXT in called:
        source = "get_dma_workspace(args, DMA_WORKSPACE_SDMA)"
        yield f"{_INDENT}__gm__ int8_t* {_PREFETCH} = reinterpret_cast<__gm__ int8_t*>({source});\n"
    arguments = unpacked_arguments(function, per_block=blocks)
    hidden = [
        *([_PREFETCH] if _CONTEXT in called else []),
        *([BLOCK_INDEX, BLOCK_COUNT] if called & _BLOCKS else []),
        *([LANE] if _LANES in called else []),
    ]
    yield f"{arguments.code}\n\n{_INDENT}{function.name}({', '.join([*arguments.names, *hidden])});\n"
