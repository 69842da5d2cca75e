# SPDX-License-Identifier: Apache-2.0
"""Printed text read back: the same structure, and the same text when it is printed again."""
# ruff: noqa: E501  # one line per body

import pytest

from pypto_build.dsl.text import parse
from pypto_build.ir.equal import assert_structural_equal

HEAD = """
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INT32],
             b: pl.Scalar[pl.BOOL]):
"""

BODIES = {
    "scalars": "a = n + 1\nc = -a // 3 % 4\nd = pl.max(c, pl.const(5, pl.INT64))\ne = pl.cast(d, pl.INT32) << n\n",
    "operators": "a = n ** n\nc = n & n\nd = n | n\ne = n ^ n\nf = ~n\ng = pl.abs(n)\n",
    "logic": "a = not b\nc = b and n < 3\nd = pl.xor(b, c)\ne = b or d\n",
    "constants": "a = pl.const(3, pl.INT8)\nc = pl.const(0.5, pl.FP16)\nd = 1e999\ne = pl.const(1, pl.INDEX) + pl.const(2, pl.INDEX)\n",
    "loops": "for i in pl.range(2, 8, 2):\n    a = n + 1\nfor j in pl.parallel(4):\n    c = n\nfor k in pl.unroll(4):\n    d = n\n",
    "carrying unrolled loop": "for i, (acc,) in pl.range(4, init_values=(x,), unroll=True):\n    z = pl.yield_(acc)\n",
    "pipeline": "for i, (acc,) in pl.pipeline(4, stage=2, init_values=(x,)):\n    z = pl.yield_(acc)\n",
    "attributes": "for i in pl.range(4, attrs={'mark': 3, 'kinds': [pl.Mem.Vec, pl.FP32, None, True]}):\n    a = n\n",
    "while": "a: pl.Scalar[pl.INT32] = n\nwhile b:\n    c = n\nfor (d,) in pl.while_(init_values=(n,)):\n    pl.cond(d < n)\n    e = pl.yield_(d)\n",
    "branches": "if b:\n    a = pl.yield_(n)\nelse:\n    a = pl.yield_(n)\nif n > 3:\n    c = n\n",
    "break": "for i in pl.range(4):\n    if b:\n        break\n    else:\n        continue\n",
    "tuples": "a, c = x, n\nd = (n, b)\n",
    "calls": "a = self.kernel(x, pl.no_dep(y))\nself.kernel(a, y, attrs={'arg_directions': [pl.adir.input, pl.adir.inout]})\n",
    "tasks": "a, t = pl.submit(self.kernel, x, y)\n",
    "dependencies": "t = None\nu = pl.system.task_dummy(deps=[t])\nc = pl.spmd_submit(self.kernel, x, y, core_num=4, deps=[t, u])\n",
    "at": "with pl.at(level=pl.Level.CORE_GROUP, name_hint='k', dumps=[x]) as t:\n    a = x\nwith pl.at(level=pl.Level.CHIP, deps=[t]):\n    c = a\n",
    "cluster": "with pl.cluster(name_hint='g'):\n    a = x\n",
    "runtime": "with pl.scope():\n    a = x\nwith pl.manual_scope():\n    c = x\n",
    "spmd loop": "for i in pl.spmd(4, name_hint='k'):\n    a = i + 1\n",
    "spmd scope": "with pl.spmd(4) as t:\n    a = self.kernel(x, y)\n",
    "split": "with pl.at(level=pl.Level.CORE_GROUP):\n    for i in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):\n        a = i\n",
    "comments": "# one\na = n  # two\n# three\nfor i in pl.range(4):\n    # four\n    c = n\n",
    "prologue": "pl.func_attr({'windowize': True, 'stationary': x})\na = n\n",
    "operations": "a = pl.tensor.add(x, y)\nc = pl.tensor.slice(a, [16, 64], [0, 0])\nd = pl.tensor.muls(a, 2.0)\n",
    "tiles": "t = pl.tile.load(x, [0, 0], [32, 32])\nu = pl.tile.add(t, t)\nv = pl.tile.store(u, [0, 0], y)\n",
    "memory": "m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)\nt: pl.Tile[[32, 32], pl.FP32, pl.MemRef(m, 0, 4096), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 32])\n",
    "two results": "t = pl.tile.load(x, [0, 0], [32, 32])\ns = pl.tile.create([32, 32], pl.UINT8)\nd, c = pl.tile.gather_compare(t, 1.0, s, cmp_mode='eq', out_cols=8)\n",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_text_means_the_same_after_it_has_been_printed(body):
    indented = "".join(f"        {line}\n" for line in body.splitlines())
    program = parse(f"{HEAD}{indented}        return n\n")
    again = parse(str(program))
    assert_structural_equal(program, again, enable_auto_mapping=True)
    assert str(again) == str(program)


HOST = """
@pl.program
class P:
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[64], pl.FP32]):
        with pld.comm_domain(devices=[0, 1], slots=["buf"], name_hint="d"):
            buf = pld.alloc_window_buffer(256)
            w = pld.window(buf, [64], dtype=pl.FP32)
        return x

    @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
    def worker(x: pl.Tensor[[64], pl.FP32]):
        total = sum(range(3))
        print(total)
"""


def test_host_functions_buffers_and_domains_come_back():
    program = parse(HOST)
    again = parse(str(program))
    assert_structural_equal(program, again, enable_auto_mapping=True)
    assert str(again) == str(program)


def test_a_float_literal_is_fp32_whatever_stands_beside_it():
    function = parse(
        "@pl.function\ndef f(x: pl.Tensor[[4, 8], pl.FP16]) -> pl.Tensor[[4, 8], pl.FP32]:\n"
        "    y: pl.Tensor[[4, 8], pl.FP32] = pl.mul(x, 2.0)\n    return y\n"
    )
    assert "pl.tensor.muls(x, 2.0)" in str(function)
