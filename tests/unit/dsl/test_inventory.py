# SPDX-License-Identifier: Apache-2.0
"""The statements, scopes, tasks and expressions of the language: each is accepted and reads back, or refused as said.

Source: the inventory of the public language, and its behaviour for bodies of one line.
"""
# ruff: noqa: E501  # one line per body

from __future__ import annotations

import pytest

from pypto_build.dsl.diagnostics import ParserError
from pypto_build.dsl.text import parse
from pypto_build.ir.equal import assert_structural_equal

HEAD = """\
@pl.inline
def helper(a, c):
    d = pl.add(a, c)
    return d

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: TENSOR, o: pl.Out[TENSOR]) -> TENSOR:
        t = pl.load(a, [0, 0], [16, 16])
        return pl.store(t, [0, 0], o)

    @pl.function(type=pl.FunctionType.InCore)
    def two(self, a: TENSOR, o: pl.Out[TENSOR]) -> tuple[TENSOR, TENSOR]:
        return o, a

    @pl.function(type=pl.FunctionType.Orchestration)
    def orch(self, a: TENSOR) -> TENSOR:
        return a

    @pl.function(OPTIONS)
    def main(self, x: TENSOR, y: TENSOR, out: pl.Out[TENSOR], n: pl.Scalar[pl.INT32], k: pl.Scalar[pl.INDEX],
             b: pl.Scalar[pl.BOOL], v: pl.Tensor[[64], pl.FP32]):
"""
TENSOR = "pl.Tensor[[64, 64], pl.FP32]"
ORCHESTRATION = "type=pl.FunctionType.Orchestration"


def text_of(body: str, options: str = ORCHESTRATION) -> str:
    """A program with a body for its main function."""
    head = HEAD.replace("TENSOR", TENSOR).replace("OPTIONS", options)
    return head + "".join(f"        {line}\n" for line in body.splitlines())


ACCEPTED = (
    "for i in pl.range(4):\n    s = i",
    "for i in pl.range(0, k):\n    s = i",
    "for i in pl.range(0, k, 2):\n    s = i",
    "for i in pl.parallel(4):\n    s = i",
    "for i in pl.unroll(0, 8, 2):\n    s = i",
    "for i in pl.pipeline(0, 8, stage=2):\n    s = i",
    "for i in pl.range(4, attrs={'a': 1, 'b': True}):\n    s = i",
    "for i, (a, c) in pl.range(4, init_values=(x, n)):\n    p, q = pl.yield_(a, c)",
    "for i, (a,) in pl.range(4, init_values=[x]):\n    p = pl.yield_(a)",
    "for i, (a,) in pl.parallel(4, init_values=(x,)):\n    p = pl.yield_(a)",
    "for i, (a,) in pl.pipeline(4, stage=2, init_values=(x,)):\n    p = pl.yield_(a)",
    "s = x\nfor i in pl.range(4):\n    s = pl.add(s, 1.0)\nq = s",
    "s = k\nwhile s < 4:\n    s = s + 1",
    "for (a,) in pl.while_(init_values=(k,)):\n    pl.cond(a < 4)\n    r = pl.yield_(a + 1)",
    "for i in pl.spmd(4):\n    s = i",
    "for i in pl.spmd(4, sync_start=True, name_hint='abc', allow_early_resolve=True):\n    s = i",
    "with pl.at(level=pl.Level.CORE_GROUP):\n    for a in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):\n        s = a",
    "if b:\n    r = pl.yield_(n)\nelse:\n    r = pl.yield_(n)\nq = r",
    "if b:\n    r = n\nelse:\n    r = n\nq = r",
    "if b:\n    s = n\nelif n > 3:\n    s = n\nelse:\n    s = n",
    "for i in pl.range(4):\n    if b:\n        break",
    "while b:\n    continue",
    "return x, y",
    "for i in pl.range(8, 0, -1):\n    s = i",
    "with pl.at(level=pl.Level.CORE_GROUP):\n    s = pl.add(x, y)",
    "with pl.at(pl.Level.CORE_GROUP) as t:\n    s = pl.add(x, y)",
    "with pl.at(level=pl.Level.HOST, role=pl.Role.Orchestrator):\n    s = n",
    "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.UP_DOWN), pl.cross_core_slot(slot_num=2)]):\n    s = pl.add(x, y)",
    "with pl.at(level=pl.Level.CORE_GROUP) as t:\n    s = pl.add(x, y)\nwith pl.at(level=pl.Level.CORE_GROUP, deps=[t], no_dep_args=[x], dumps=[y], allow_early_resolve=True, name_hint='z', windowize=True) as u:\n    q = pl.add(x, y)",
    "with pl.at(level=pl.Level.CLUSTER_0):\n    s = n",
    "with pl.cluster(name_hint='c'):\n    s = self.kernel(x, out)",
    "with pl.cluster():\n    s = self.kernel(x, out)",
    "with pl.spmd(4):\n    s = self.kernel(x, out)",
    "with pl.spmd(core_num=4, sync_start=True, name_hint='q', optimizations=[pl.split(pl.SplitMode.UP_DOWN)]) as t:\n    s = self.kernel(x, out)",
    "with pl.at(level=pl.Level.CORE_GROUP) as t:\n    s = pl.add(x, y)\nwith pl.spmd(4, deps=[t]) as u:\n    q = self.kernel(x, out)",
    "with pl.manual_scope():\n    s = n",
    "with pl.scope(mode=pl.ScopeMode.MANUAL):\n    s = n",
    "with pl.cluster():\n    with pl.spmd(4):\n        s = self.kernel(x, out)",
    "o, t = pl.submit(self.kernel, x, out)",
    "o, t = pl.submit(self.kernel, x, out)\np, u = pl.submit(self.kernel, x, o, deps=[t])",
    "(a, c), t = pl.submit(self.two, x, out)",
    "a, c, t = pl.submit(self.two, x, out)",
    "r = pl.submit(self.kernel, x, out)",
    "o, t = pl.submit(self.kernel, x, out, dumps=[x], allow_early_resolve=True, attrs={'a': 1})",
    "o, t = pl.spmd_submit(self.kernel, x, out, core_num=4, sync_start=True)",
    "o, t = pl.submit(self.kernel, pl.no_dep(x), out)",
    "t = None\no, u = pl.submit(self.kernel, x, out, deps=[t, None])",
    "a = pl.array.create(4, pl.TASK_ID)\na[0] = None\no, u = pl.submit(self.kernel, x, out, deps=[a])\nq, w = pl.submit(self.kernel, x, out, deps=[a[0]])",
    "a = pl.array.create(4, pl.TASK_ID)\no, u = pl.submit(self.kernel, x, out, deps=[a[i] for i in range(4)])",
    "t = pl.system.task_dummy(deps=[])\nu = pl.system.task_dummy(deps=[t])",
    "s = self.kernel(x, out, attrs={'arg_directions': [pl.adir.input, pl.adir.output_existing]})",
    "s = self.orch(x)",
    "self.kernel(x, out)",
    "a, c = self.two(x, out)",
    "pl.dump_tag(x)\ns = self.kernel(x, out)",
    "pl.func_attr({'a': 1, 'v': x})\ns = n",
    "pl.static_print('a', n, x)",
    "pl.static_assert(3 < 4, 'm')",
    "pl.static_assert(True)",
    "s = v[0:16]",
    "s = v[3]",
    "x[0:16, 0:16] = x[16:32, 0:16]",
    "s = x[k, 0:16]",
    "s = x[0:16]",
    "s = x[k:k + 16, 0:16]",
    "a = pl.array.create(4, pl.INT32)\na[0] = n\ns = a[0]",
    "s = pl.tensor.dim(x, 0)",
    "'''doc'''\ns = n",
    "# c\ns = n",
    "t = (x, n)\na = t[0]",
    "[a, c] = x, n",
    "s = helper(x, y)",
    "a = n",
    "s = pl.add(lhs=x, rhs=y)",
    "s = pl.tensor.slice(x, *[[16, 16], [0, 0]])",
    "s = n // 2",
    "s = n % 2",
    "s = n / 2",
    "s = n << 1",
    "s = n >> 1",
    "s = -n",
    "s = ~n",
    "s = not n",
    "s = n and n",
    "s = pl.min(n, 3)",
    "s = (n, 3)",
    "s = n + 1",
    "s = pl.const(3, pl.INT8)",
    "s = k + pl.FP32.get_byte()",
    "s = True",
    "s = 1.5",
    "s = pl.cast(n, pl.INT64)",
    "s = pl.cast(x, pl.FP16, mode='rint')",
    "s = pl.max(n, k)",
    "s = n < 3 and b or not b",
)


@pytest.mark.parametrize("body", ACCEPTED)
def test_a_form_of_the_language_reads_back(body: str) -> None:
    program = parse(text_of(body))
    assert_structural_equal(program, parse(str(program)), enable_auto_mapping=True)


REFUSED = {
    "s = n @ n": "MatMult",
    "s = n < 3 < 4": "Only simple comparisons supported",
    "s = min(n, 3)": "Unsupported function call: min(n, 3)",
    "s = abs(n)": "Unsupported function call: abs(n)",
    "s = undefined_fn(x)": "Unsupported function call",
    "s = n if b else n": "Unsupported expression type: IfExp",
    "s = lambda: n": "Unsupported expression type: Lambda",
    "s = [n for i in range(3)]": "Unsupported expression type: ListComp",
    "s = x.foo": "Standalone attribute access not supported: x.foo",
    "s = 'abc'": "Unsupported constant type: <class 'str'>",
    "n += 1": "Unsupported statement type: AugAssign",
    "import os": "Unsupported statement type: Import",
    "s = n * 1.5": "Operator 'mul' requires same numeric dtype category, got int32 and fp32",
    "while n > 3:\n    n = n + 1": "Cannot reassign 'n' with a different type: was pl.Scalar[pl.INT32], got pl.Scalar[pl.INDEX]",
    "for i in range(4):\n    s = n": "For loop must use pl.range(), pl.parallel(), pl.unroll(), pl.pipeline(), pl.while_(), pl.spmd(), or pl.split_aiv()",
    "for i in pl.unroll(n):\n    s = n": "pl.unroll() requires compile-time constant integer bounds",
    "for i in pl.pipeline(4):\n    s = n": "pl.pipeline() requires stage= (positive integer)",
    "for i in pl.parallel(4):\n    break": "'break' not supported in parallel loops",
    "if n:\n    s = n": "if condition must be a Bool-typed scalar expression, got pl.Scalar[pl.INT32]",
    "with pl.scope():\n    s = n": "a hand-placed AUTO 'with pl.scope()' requires @pl.function(auto_scope=False)",
    "with pl.incore():\n    s = n": "Unsupported context manager in with statement",
    "s = pl.nope(x)": "Unknown operation 'pl.nope'",
    "try:\n    s = n\nfinally:\n    pass": "Unsupported statement type: Try",
    "for i, (a,) in pl.range(4, init_values=(x,)):\n    pl.yield_(a)": "pl.yield_",
    "s = self.kernel(x, out, deps=[])": "deps",
    "for i, (a,) in pl.unroll(4, init_values=(x,)):\n    p = pl.yield_(a)": "init_values",
    "with pl.manual_scope():\n    with pl.manual_scope():\n        s = n": "nested",
    "s = self.kernel(x, out, device=n)": "device",
    "s: pl.Tensor[[64], pl.FP32] = x": "rank",
    "s: pl.Tensor[[64, 64], pl.FP16] = x": "dtype",
    "s: pl.Tensor[[64, 32], pl.FP32] = x": "dimension",
    "s: pl.Scalar[pl.FP32] = x": "Type annotation for 's'",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_no_form_of_the_language_is_refused(body: str) -> None:
    with pytest.raises(ParserError) as caught:
        parse(text_of(body))
    assert REFUSED[body] in caught.value.message
    assert caught.value.help


def test_a_name_is_assigned_once_in_strict_form() -> None:
    with pytest.raises(ParserError, match="Variable 's' is already defined"):
        parse(text_of("s = n\ns = n", f"{ORCHESTRATION}, strict_ssa=True"))


def test_a_window_is_not_written_in_strict_form() -> None:
    with pytest.raises(ParserError, match="only available before SSA conversion"):
        parse(text_of("x[0:16, 0:16] = y[0:16, 0:16]", f"{ORCHESTRATION}, strict_ssa=True"))


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("type=pl.FunctionType.Orchestration", "level=pl.Level.CHIP, role=pl.Role.Orchestrator"),
        ("type=pl.FunctionType.Graph", "level=pl.Level.CHIP, role=pl.Role.Orchestrator"),
        ("type=pl.FunctionType.InCore", "level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker"),
        ("type=pl.FunctionType.AIC", "level=pl.Level.AIC, role=pl.Role.SubWorker"),
        ("type=pl.FunctionType.AIV", "level=pl.Level.AIV, role=pl.Role.SubWorker"),
        ("type=pl.FunctionType.Group", "level=pl.Level.CORE_GROUP, role=pl.Role.SubWorker"),
        ("type=pl.FunctionType.Spmd", "type=pl.FunctionType.Spmd)"),
        ("type=pl.FunctionType.Inline", "type=pl.FunctionType.Inline)"),
        ("type=pl.FunctionType.Opaque", "@pl.function\n"),
        ("level=pl.Level.HOST, role=pl.Role.Orchestrator", "level=pl.Level.HOST, role=pl.Role.Orchestrator"),
        ("auto_scope=False", "auto_scope=False"),
    ],
)
def test_level_and_role_follow_from_the_type(options: str, shown: str) -> None:
    function = parse(f"@pl.function({options})\ndef f(n: pl.Scalar[pl.INT32]):\n    return n\n")
    assert shown in str(function).partition("def ")[0]
