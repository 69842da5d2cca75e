# SPDX-License-Identifier: Apache-2.0
"""The C++ source of a kernel: what it includes, what it asks the runtime, and what it calls the kernel with."""

from __future__ import annotations

import pytest
from pypto_targets.pto.entry import kernel_source

from pypto_build.errors import UserError
from pypto_build.ir import Function
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription
from tests.targets.pto.emitting import program

ASSEMBLED = '#include "pto/pto-inst.hpp"\nusing namespace pto;\n\n__global__ AICORE void main(__gm__ float* v1) {\n}\n'


def kernel(body: str, kind: str = "AIV") -> Function:
    """A kernel of one core."""
    made = program(body, kind=kind).get_function("main")
    assert made is not None
    return made


def source(body: str, hardware: HardwareDescription = ASCEND910B, *, beside_blocks: bool = False) -> str:
    """The source of a kernel."""
    return kernel_source(kernel(body), ASSEMBLED, hardware, beside_blocks=beside_blocks)


def entry(text: str) -> str:
    """The entry of a source."""
    return text[text.index("void kernel_entry") :]


PLAIN = "pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)"
DUAL = f'pl.func_attr({{"dual_aiv_dispatch": True}})\n{PLAIN}'


def test_a_source_holds_the_kernel_and_an_entry_that_calls_it():
    text = source(PLAIN)
    assert text.count("#include <pto/pto-inst.hpp>") == 1
    assert "static __aicore__ void main(" in text
    assert 'extern "C" __aicore__ void kernel_entry(__gm__ int64_t* args) {' in text
    assert "    main(x, out);\n}\n" in text


def test_what_an_earlier_kernel_set_is_reset_first():
    text = entry(source(PLAIN))
    assert text.index("set_atomic_none();") < text.index("// Unpack tensor: x")


@pytest.mark.parametrize(
    ("body", "asked", "passed"),
    [
        ("b = pl.tile.get_block_idx()", "get_block_idx(args)", "__pypto_spmd_block_idx, __pypto_spmd_block_num"),
        ("b = pl.tile.get_subblock_idx()", "get_sub_block_id(args)", "__pypto_spmd_subblock_idx"),
        ("c = pl.prefetch.make_context()", "get_dma_workspace(args, DMA_WORKSPACE_SDMA)", "__pypto_sdma_workspace"),
    ],
)
def test_what_a_kernel_asks_for_comes_from_the_runtime_behind_its_arguments(body: str, asked: str, passed: str):
    text = source(f"{body}\n{PLAIN}")
    assert '#include "intrinsic.h"' in text
    assert asked in text
    assert f"main(x, out, {passed});" in text


def test_a_kernel_beside_one_that_asks_for_its_block_is_told_nothing():
    text = source(PLAIN, beside_blocks=True)
    assert "int32_t __pypto_spmd_block_idx = get_block_idx(args);" in text
    assert "main(x, out);" in text


@pytest.mark.parametrize(("hardware", "bridged"), [(ASCEND910B, True), (ASCEND950, False)])
def test_instructions_of_a_kernel_on_both_vector_cores_see_the_core_of_the_task(
    hardware: HardwareDescription, bridged: bool
):
    text = source(DUAL, hardware)
    assert ("#define get_subblockid() pypto_runtime_subblock_id" in text) is bridged
    assert ("pypto_runtime_subblock_id = get_sub_block_id(args);" in text) is bridged


def test_a_kernel_that_defers_a_wait_is_refused():
    signal = "s: pld.DistributedTensor[[1, 1], pl.INT32]"
    wait = "pld.system.defer_wait(s, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)"
    made = program(wait, params=signal, kind="AIV").get_function("main")
    assert made is not None
    with pytest.raises(UserError, match="defers a wait") as caught:
        kernel_source(made, ASSEMBLED, ASCEND910B)
    assert caught.value.code == "PTO022"
