# SPDX-License-Identifier: Apache-2.0
"""The header: what a source describes arrives at the host, and what the interface forbids ends the run."""

from __future__ import annotations

import numpy as np
import pytest

from pypto_build.ir import DataType
from tests.taskruntime.building import built, check_syntax
from tests.taskruntime.interface import Host, Refusal, Submission
from tests.taskruntime.memory import Memory, Tensor, described

X = np.arange(16, dtype=np.float32).reshape(4, 4)


def source(body: str) -> str:
    """An orchestration function with one tensor `x` of 4 x 4 numbers, and one scalar `n`."""
    head = "const ChipTensor& x = a.tensor(0).ref(); int64_t n = from_u64<int64_t>(a.scalar(0)); (void)x; (void)n;"
    name = "aicpu_orchestration_entry"
    return f'#include "pto_orchestration_api.h"\nextern "C" void {name}(const ChipTaskArgs& a) {{ {head}\n{body} }}\n'


def tasks(body: str) -> list[tuple[list[Tensor], Submission]]:
    """What an orchestration submits, with its tensors."""
    memory, seen = Memory(), list[tuple[list[Tensor], Submission]]()

    def submit(task: Submission) -> int:
        copied = Submission.from_buffer_copy(task)
        seen.append(([memory.tensor(task.tensors[i]) for i in range(task.tensor_count)], copied))
        return len(seen)

    x = described(X, memory.keep(X.copy()), DataType.FP32)
    [entry] = built([source(body)])
    entry.run(Host(memory.allocate, submit, lambda *_: None), [x], [5])
    return seen


def test_a_window_begins_where_it_says():
    body = "uint32_t s[2] = {2, 3}, o[2] = {1, 1}; CoreTaskArgs p; p.add_input(x.view(s, o)); rt_submit_aiv_task(7, p);"
    [(tensors, task)] = tasks(body)
    assert tensors == [Tensor(0, 5, (2, 3), (4, 1), DataType.FP32)]
    assert list(task.kernels) == [-1, 7, -1]


def test_axes_change_places_by_their_strides():
    [([tensor], _)] = tasks("CoreTaskArgs p; p.add_inout(x.transpose(0, 1)); rt_submit_aic_task(0, p);")
    assert tensor.strides == (1, 4)


def test_a_created_tensor_is_filled_and_owned_by_its_task():
    body = """uint32_t s[1] = {3}; TensorCreateInfo c(s, 1, DataType::FLOAT32); c.set_initial_value(2.5f);
        TaskOutputTensors t = alloc_tensors(c); uint32_t at[1] = {2};
        always_assert(get_tensor_data<float>(t.get_ref(0), 1, at) == 2.5f);
        CoreTaskArgs p; p.add_input(t.get_ref(0)); rt_submit_aiv_task(0, p);"""
    assert tasks(body)[1][0] == [Tensor(1, 0, (3,), (1,), DataType.FP32, owner=1)]


def test_an_element_is_written_into_the_memory_of_its_tensor():
    body = """uint32_t s[2] = {1, 2}, o[2] = {2, 1}, at[2] = {0, 1}; ChipTensor w = x.view(s, o);
        set_tensor_data<float>(w, 2, at, 9.0f); uint32_t same[2] = {2, 2};
        always_assert(get_tensor_data<float>(x, 2, same) == 9.0f);"""
    assert tasks(body) == []


def test_numbers_and_names_of_tasks_arrive():
    body = """CoreTaskArgs p; p.add_scalar(n); PTO2TaskId d[1] = {rt_submit_dummy_task(p).task_id()};
        CoreTaskArgs q; q.set_dependencies(d, 1); PTO2_SCOPE(PTO2ScopeMode::MANUAL) { rt_submit_aiv_task(0, q); }"""
    (_, first), (_, second) = tasks(body)
    assert first.scalar_count == 1
    assert (second.dependency_count, second.is_manual) == (1, 1)


FORBIDDEN = {
    "a view reaches beyond its tensor": "uint32_t s[2] = {4, 4}, o[2] = {1, 0}; (void)x.view(s, o);",
    "a reshape changes the number of elements": "uint32_t s[1] = {15}; (void)x.reshape(s, 1);",
    "not contiguous cannot have another shape": "uint32_t s[1] = {16}; (void)x.transpose(0, 1).reshape(s, 1);",
    "an element lies outside of its tensor": "uint32_t at[2] = {0, 4}; (void)get_tensor_data<float>(x, 2, at);",
    "read as a type of another size": "uint32_t at[2] = {0, 0}; (void)get_tensor_data<int64_t>(x, 2, at);",
    "a scope opens inside a manual one": "PTO2_SCOPE(PTO2ScopeMode::MANUAL) { PTO2_SCOPE() {} }",
    "waits for an id that names none": "PTO2TaskId d = PTO2TaskId::invalid(); CoreTaskArgs().set_dependencies(&d, 1);",
    "a tensor after a scalar": "CoreTaskArgs p; p.add_scalar(n); p.add_input(x);",
    "more than 16 scalars": "CoreTaskArgs p; for (int i = 0; i < 17; ++i) p.add_scalar(n);",
    "more than 32 tensors": "CoreTaskArgs p; for (int i = 0; i < 33; ++i) p.add_input(x);",
    "has not created so many tensors": "CoreTaskArgs p; (void)rt_submit_aiv_task(0, p).get_ref(0);",
    "fewer tensor arguments": "(void)a.tensor(1).ref();",
    "an assertion of the orchestration does not hold": "always_assert(n == 6);",
}


@pytest.mark.parametrize("sentence", FORBIDDEN)
def test_what_is_forbidden_ends_the_run_with_a_sentence(sentence: str):
    built([source(body) for body in FORBIDDEN.values()])  # all at once, which takes as long as one
    with pytest.raises(Refusal, match=sentence):
        tasks(FORBIDDEN[sentence])


def test_what_the_host_raises_is_raised():
    def submit(task: Submission) -> int:
        raise KeyError(task.kind)

    memory = Memory()
    x = described(X, memory.keep(X.copy()), DataType.FP32)
    [entry] = built([source("CoreTaskArgs p; rt_submit_aiv_task(0, p); always_assert(false);")])
    with pytest.raises(KeyError):
        entry.run(Host(memory.allocate, submit, lambda *_: None), [x], [5])


def test_a_warning_of_the_compiler_is_an_error():
    with pytest.raises(AssertionError, match="unused variable"):
        check_syntax(source("int unused = 3;"))
