# SPDX-License-Identifier: Apache-2.0
"""What `explicit_layout` adds: the layout of every tile in full, and the window buffer of a distributed tensor.

The ordinary text leaves out what the reader of the text can work out; a dump for people states it.
"""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.ir.expr import WindowBuffer
from pypto_build.ir.printing.context import Context
from pypto_build.ir.printing.literals import enum_text, string_text
from pypto_build.ir.printing.parts import Part, keyword
from pypto_build.ir.types import TileView


def stated_layout(ctx: Context, view: TileView, implied: TileView) -> Iterator[Part]:
    """The layouts and the box size: those that differ from what is implied, or all of them."""
    everything = ctx.style.explicit_layout
    if everything or view.blayout is not implied.blayout:
        yield keyword("blayout", enum_text(view.blayout, ctx.pl))
    if everything or view.slayout is not implied.slayout:
        yield keyword("slayout", enum_text(view.slayout, ctx.pl))
    if everything or view.fractal != implied.fractal:
        yield keyword("fractal", str(view.fractal))


def window_buffer_mark(ctx: Context, buffer: WindowBuffer) -> str:
    """A string that names the window buffer; the front end finds the buffer through `pld.tensor.window` instead."""
    return string_text(f"window_buffer={ctx.names.of(buffer)}")
