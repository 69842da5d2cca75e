# SPDX-License-Identifier: Apache-2.0
"""Gathers, scatters and sorts of tiles."""

from __future__ import annotations

from pypto_build.ir import Call, DataType, Var
from pypto_targets.pto.compute import CMP
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, in_place, integer_kwarg, result, tile_of, write
from pypto_targets.pto.text import Value

MASKS = ("", "P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111")


def gather_mask(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.gather_mask(src)`."""
    target = result(kernel, call, var)
    _by_mask(kernel, call, "pto.tgather", source=kernel.value(call.args[0]), target=target)


def scatter_mask(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.scatter_mask(dst, src)`: the destination is the first argument's buffer."""
    target = in_place(kernel, call, var)
    _by_mask(kernel, call, "pto.tscatter", source=kernel.value(call.args[1]), target=target)


def _by_mask(kernel: Kernel, call: Call, mnemonic: str, *, source: Value, target: Value) -> None:
    """The pattern stands among the operands, the axis among the types."""
    mask = MASKS[integer_kwarg(call, "mask_pattern", 1)]
    kernel.text.emit(
        f'{mnemonic} ins({source.name}, {{maskPattern = #pto.mask_pattern<{mask}>}} : {source.type}, "row") '
        f"outs({target.name} : {target.type})"
    )


def gather_compare(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.gather_compare(src, kvalue, tmp)`: indices and counts, two destinations."""
    source, scratch = kernel.value(call.args[0]), kernel.value(call.args[2])
    threshold = kernel.scalar(call.args[1], tile_of(call, 0).dtype)
    destinations = [value for _, value in kernel.outputs(call, var)]
    mode, offset = CMP[integer_kwarg(call, "cmp_mode")], integer_kwarg(call, "offset")
    outs = f"{{cmpMode = #pto<cmp {mode}>, offset = {offset} : i32}}"
    write(kernel, "pto.tgather", [source, threshold, scratch], destinations, outs=outs)


def scatter(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.scatter(dst, src, indexes)`: the destination is the first argument's buffer."""
    target = in_place(kernel, call, var)
    write(kernel, "pto.tscatter", [kernel.value(arg) for arg in call.args[1:]], [target])


def merge_blocks(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.mrgsort_format1(src, block_len)`."""
    length = kernel.integer(call.args[1], DataType.INT32)
    write(kernel, "pto.tmrgsort", [kernel.value(call.args[0]), length], [result(kernel, call, var)])


def merge_lists(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.mrgsort_format2(lists..., tmp)`: a second destination says how far each list was used."""
    target = result(kernel, call, var)
    executed = kernel.text.define("arith.constant dense<0> : vector<4xi16>", "vector<4xi16>", "executed_vec")
    exhausted = "true" if call.kwargs.get("exhausted") else "false"
    lists = [kernel.value(arg) for arg in call.args]
    write(kernel, "pto.tmrgsort", lists, [target, executed], ins=f"{{exhausted = {exhausted}}}")


HANDLERS: dict[str, Handler] = {
    "tile.gather_mask": gather_mask,
    "tile.gather_compare": gather_compare,
    "tile.scatter": scatter,
    "tile.scatter_mask": scatter_mask,
    "tile.mrgsort_format1": merge_blocks,
    "tile.mrgsort_format2": merge_lists,
}
