# SPDX-License-Identifier: Apache-2.0
"""Tiles that are made from scalars: constants, ramps, triangles, random numbers."""

from __future__ import annotations

from pypto_build.ir import Call, DataType, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, integer_kwarg, named, result, tile_of, typed, write

_USUAL_ROUNDS = 10


def spread(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.full(shape, value)`, `tile.expands(target, scalar)`: the first argument only shapes the result."""
    value = kernel.scalar(call.args[1], tile_of(call).dtype)
    write(kernel, "pto.texpands", [value], [result(kernel, call, var)])


def ramp(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.ci(start, shape)`."""
    descending = "true" if call.kwargs.get("descending") else "false"
    start = kernel.scalar(call.args[0], tile_of(call).dtype)
    write(kernel, "pto.tci", [start], [result(kernel, call, var)], outs=f"{{descending = {descending}}}")


def triangle(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.tri(diagonal, shape)`: ones on one side of a diagonal."""
    target, diagonal = result(kernel, call, var), kernel.integer(call.args[0], DataType.INT32)
    upper = int(bool(call.kwargs.get("upper")))
    kernel.text.emit(
        f'"pto.ttri"({diagonal.name}, {target.name}) {{upperOrLower = {upper} : i32}} : (i32, {target.type}) -> ()'
    )


def random(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.random(key0, key1, counter0..3, shape)`; another number of rounds needs the generic form."""
    target = result(kernel, call, var)
    keys = [kernel.integer(arg, DataType.INT32) for arg in call.args[:6]]
    rounds = integer_kwarg(call, "rounds", _USUAL_ROUNDS)
    if rounds == _USUAL_ROUNDS:
        write(kernel, "pto.trandom", keys, [target])
        return
    everything = [*keys, target]
    kernel.text.emit(f'"pto.trandom"({named(everything)}) {{rounds = {rounds} : i32}} : ({typed(everything)}) -> ()')


HANDLERS: dict[str, Handler] = {
    "tile.full": spread,
    "tile.expands": spread,
    "tile.ci": ramp,
    "tile.tri": triangle,
    "tile.random": random,
}
