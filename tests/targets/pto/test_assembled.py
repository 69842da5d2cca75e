# SPDX-License-Identifier: Apache-2.0
"""The assembler's C++ within a larger source: no headers, static functions, operands instead of pointers."""

from __future__ import annotations

import pytest
from pypto_targets.pto.assembled import embedded

GATHER = """\
AICORE void {name}() {{
  __ubuf__ float* p = {name}_dst.data();
  __gm__ float* q = (__gm__ float*) table;
  __ubuf__ int32_t* r = idx.data();
{more}  MGATHER<pto::Coalesce::Row>(p, q, r);
}}
"""


def test_headers_go_and_the_rest_stays():
    text = '#include "pto/pto-inst.hpp"\nusing namespace pto;\nstatic int helper() { return 1; }\n'
    assert embedded(text) == "static int helper() { return 1; }\n"


@pytest.mark.parametrize("head", ["AICORE void", "__global__ AICORE void", 'extern "C" __global__ AICORE void'])
def test_functions_become_static(head: str):
    assert embedded(f"{head} k() {{\n}}\n") == "static __aicore__ void k() {\n}\n"


def test_what_the_runtime_sets_is_left_out():
    assert embedded("AICORE void k() {\n  set_ffts_base_addr(a);\n  wait_flag_dev(3);\n}\n").count("(") == 2


def test_the_tensor_type_has_the_runtimes_name():
    assert embedded("Tensor a; GlobalTensor<float> b; TensorView c;\n") == (
        "ChipTensor a; GlobalTensor<float> b; TensorView c;\n"
    )


def test_a_gather_takes_what_its_pointers_were_taken_from():
    text = embedded(GATHER.format(name="k", more=""))
    assert "MGATHER<pto::Coalesce::Row>(k_dst, table, idx);" in text
    assert "__ubuf__" not in text


def test_pointers_of_several_functions_may_have_the_same_names():
    text = embedded(GATHER.format(name="k", more="") + GATHER.format(name="m", more=""))
    assert "(k_dst, table, idx);" in text
    assert "(m_dst, table, idx);" in text


def test_a_pointer_that_serves_something_else_stays():
    text = embedded(GATHER.format(name="k", more="  consume(p);\n"))
    assert "MGATHER<pto::Coalesce::Row>(p, q, r);" in text
    assert "__gm__ float* q = (__gm__ float*) table;" in text
