# SPDX-License-Identifier: Apache-2.0
"""MaterializeDistTensorCtx: contexts behind the parameters, at every call, and instead of queries."""

from __future__ import annotations

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.materialize_dist_tensor_ctx import MaterializeDistTensorCtx

from pypto_build.dsl.text import parse_program
from pypto_build.errors import UserError
from pypto_build.ir import FunctionType, Level, Program, rebuilt
from pypto_build.passes import apply_pass
from tests.passes import programs

WINDOW = "pld.DistributedTensor[[4], pl.FP32]"
KERNEL = """
    @pl.function(type=pl.FunctionType.InCore)
    def consume(self, data: {window}{ctx}):
        pld.system.wait(data, offsets=[0], expected=1, cmp=pld.WaitCmp.Eq)

    @pl.function(type=pl.FunctionType.InCore)
    def stage(self, data: pl.InOut[{window}]{ctx}) -> {window}:
        return data
"""
MAIN = """
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, data: pl.InOut[{window}], other: pl.InOut[{window}]{ctx}):
{body}
"""
HEAD = "import pypto.language.distributed as pld\n\n@pl.program\nclass P:"
DIRECTIONS = "attrs={'arg_directions': [pl.adir.input, pl.adir.scalar]}"


def before(body: str) -> Program:
    return written(body, "", "")


def after(body: str) -> Program:
    return written(body, ", data_ctx: pld.CommCtx", ", data_ctx: pld.CommCtx, other_ctx: pld.CommCtx")


def written(body: str, kernel_ctx: str, main_ctx: str) -> Program:
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    kernels = KERNEL.format(window=WINDOW, ctx=kernel_ctx)
    return parse_program(HEAD + kernels + MAIN.format(window=WINDOW, ctx=main_ctx, body=lines))


LOOP = "for i, (d,) in pl.range(2, init_values=(data,)):"
ROWS = [
    ("self.consume(other)", "self.consume(other, other_ctx)"),
    ("alias = data\nself.consume(alias)", "alias = data\nself.consume(alias, data_ctx)"),
    ("v = pl.tensor.view(other, [4])\nself.consume(v)", "v = pl.tensor.view(other, [4])\nself.consume(v, other_ctx)"),
    (
        "done = self.stage(other)\nself.consume(done)",
        "done = self.stage(other, other_ctx)\nself.consume(done, other_ctx)",
    ),
    (
        "done, tid = pl.submit(self.stage, other)\nself.consume(done)",
        "done, tid = pl.submit(self.stage, other, other_ctx)\nself.consume(done, other_ctx)",
    ),
    (
        f"{LOOP}\n    n = self.stage(d)\n    r = pl.yield_(n)\nself.consume(r)",
        f"{LOOP}\n    n = self.stage(d, data_ctx)\n    r = pl.yield_(n)\nself.consume(r, data_ctx)",
    ),
    ("c = pld.system.get_comm_ctx(other)\nr = pld.system.rank(c)", "c = other_ctx\nr = pld.system.rank(c)"),
]


@pytest.mark.parametrize(("body", "expected"), ROWS)
def test_a_call_hands_on_the_context_of_its_tensor(body: str, expected: str):
    made = programs.assert_becomes(MaterializeDistTensorCtx(), before(body), after(expected))
    programs.assert_unchanged(MaterializeDistTensorCtx(), made)


def test_directions_that_are_known_say_that_a_context_is_a_scalar():
    body = "self.consume(other, attrs={'arg_directions': [pl.adir.input]})"
    programs.assert_becomes(
        MaterializeDistTensorCtx(), before(body), after(f"self.consume(other, other_ctx, {DIRECTIONS})")
    )


def test_a_name_that_is_taken_gets_a_number():
    text = str(before("self.consume(other)")).replace(
        "other: pl.InOut[", "data_ctx: pl.Scalar[pl.INDEX], other: pl.InOut["
    )
    made = apply_pass(MaterializeDistTensorCtx(), parse_program(text))
    names = [param.name_hint for param in programs.method(made, "main").params]
    assert names == ["data", "data_ctx", "other", "data_ctx_1", "other_ctx"]


def test_a_program_without_distributed_tensors_is_left_alone():
    plain = programs.program(
        "@pl.function(type=pl.FunctionType.InCore)\ndef k(self, x: pl.Tensor[[4], pl.FP32]):\n    pl.system.fence()"
    )
    programs.assert_unchanged(MaterializeDistTensorCtx(), plain)


def test_a_loop_that_goes_on_with_another_tensor_is_refused():
    body = f"{LOOP}\n    n = self.stage(other)\n    r = pl.yield_(n)\nself.consume(r)"
    with pytest.raises(UserError, match="Rebinding loop-carried DistributedTensor 'd'"):
        apply_pass(MaterializeDistTensorCtx(), before(body))


HOST = """
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self):
        buffer = pld.alloc_window_buffer(16)
        data = pld.window(buffer, [4], dtype=pl.FP32)
        {query}self.consume(data{ctx})
"""


def test_the_host_looks_the_context_up_before_the_call():
    plain, ctx = KERNEL.format(window=WINDOW, ctx=""), KERNEL.format(window=WINDOW, ctx=", data_ctx: pld.CommCtx")
    query = "data_ctx = pld.system.get_comm_ctx(data)\n        "
    programs.assert_becomes(
        MaterializeDistTensorCtx(),
        parse_program(HEAD + plain + HOST.format(query="", ctx="")),
        parse_program(HEAD + ctx + HOST.format(query=query, ctx=", data_ctx")),
    )


def test_a_tensor_that_appears_from_nowhere_on_a_chip_is_refused():
    text = HEAD + KERNEL.format(window=WINDOW, ctx="") + HOST.format(query="", ctx="")
    made = parse_program(text)
    kind: dict[str, object] = {"func_type": FunctionType.Orchestration, "level": Level.CHIP}
    functions = [rebuilt(f, kind) if f.name == "host" else f for f in made.functions.values()]
    with pytest.raises(UserError, match="Cannot determine the communication context of 'data' in function 'host'"):
        apply_pass(MaterializeDistTensorCtx(), made.with_functions(functions))


def test_a_context_has_the_name_that_its_tensor_was_written_with():
    text = before("        self.consume(data)")
    made = apply_pass(MaterializeDistTensorCtx(), apply_pass(ConvertToSSA(), text))
    kernel = programs.method(made, "consume")
    assert [param.name_hint for param in kernel.params] == ["data__ssa_v0", "data_ctx"]
