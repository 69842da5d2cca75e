# SPDX-License-Identifier: Apache-2.0
"""What a wrong @pl.jit kernel says: the author's line, and the call that it was read for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.driver.load import load_source
from pypto_build.errors import UserError, render

KERNEL = """\
import pypto.language as pl


@pl.jit.incore
def copy(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    rows, columns = a.shape
    out = pl.store(pl.load(a, [0, 0], [rows, columns]), [0, 0], out)
    return out


@pl.jit
def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    out = copy(a, out)
    return out
"""


def said(path: Path, text: str, *arguments: str) -> str:
    """The rendered error of a source."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_source(path, arguments=arguments)
    return render(caught.value).replace(f"{path.parent}/", "")


def test_a_mistake_in_a_callee_is_shown_with_the_call(tmp_path: Path) -> None:
    assert said(tmp_path / "k.py", KERNEL, "a=f32[8]", "out=f32[8]") == (
        "k.py:6:5: error[E100]: Cannot unpack 1 value(s) into 2 variable(s)\n"
        "    6 |     rows, columns = a.shape\n"
        "      |     ^^^^^^^^^^^^^^^^^^^^^^^\n"
        "k.py:13:11: note: 'copy' is read for this call, with a: pl.Tensor[[8], pl.FP32], "
        "out: pl.Tensor[[8], pl.FP32]\n"
        "   13 |     out = copy(a, out)\n"
        "      |           ^^^^^^^^^^^^\n"
        "  help: Make the value, or the annotation, of the type that is asked for"
    )


def test_a_parameter_that_nothing_gives_is_shown(tmp_path: Path) -> None:
    assert said(tmp_path / "k.py", KERNEL, "a=f32[8,8]") == (
        "k.py:12:24: error[E100]: Nothing says what the parameter 'out' of 'main' is\n"
        "   12 | def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):\n"
        "      |                        ^^^^^^^^^^^^^^^^^^^^^^\n"
        "  help: Give its type, as in out=f32[64,64], or write it: pl.Tensor[[64, 64], pl.FP32]"
    )


def test_an_argument_that_contradicts_the_source_is_shown_there(tmp_path: Path) -> None:
    text = KERNEL.replace("main(a: pl.Tensor,", "main(a: pl.Tensor[[8, 8], pl.FP32],")
    assert said(tmp_path / "k.py", text, "a=f32[8,16]", "out=f32[8,8]") == (
        "k.py:12:10: error[JIT003]: the argument of 'a' contradicts its annotation: pl.Tensor[[8, 8], pl.FP32]\n"
        "   12 | def main(a: pl.Tensor[[8, 8], pl.FP32], out: pl.Out[pl.Tensor]):\n"
        "      |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  help: Leave it out, or annotate the parameter as pl.Tensor or pl.Scalar only"
    )


def test_a_call_from_python_names_the_command(tmp_path: Path) -> None:
    assert said(tmp_path / "k.py", KERNEL + "\nmain(1, 2)\n") == (
        "error[E003]: @pl.jit function 'main' is compiled before it runs, it cannot be called from Python\n"
        "  help: pypto-build compile k.py --entry main --arg a=... --arg out=..."
    )
