# SPDX-License-Identifier: Apache-2.0
"""Bodies of one function before and after Simplify, which finds nothing more to do on its own result."""

from pypto_passes.simplify import Simplify

from tests.passes import programs

HEAD = """
@pl.function
def f(self, n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX], flag: pl.Scalar[pl.BOOL],
      out: pl.Tensor[[64], pl.INDEX]):
"""


def body(text):
    return programs.body(HEAD, text)


def assert_simplified(before, expected):
    made = programs.assert_becomes(Simplify(), body(before), body(expected))
    programs.assert_unchanged(Simplify(), made)
