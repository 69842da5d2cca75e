# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations with attributes, constants, comparisons, gathers and sorts."""

from __future__ import annotations

from pypto_build.errors import InternalError
from pypto_build.ir import Call, TileType, Var, as_int
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, operand, result, simple, write
from pypto_targets.pto.text import Value

CMP = ("eq", "ne", "lt", "le", "gt", "ge")
ROUND = ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT")
MASKS = ("", "P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111")


def compare(mnemonic: str) -> Handler:
    """`tile.cmp`, `tile.cmps`: the mode stands inside `ins`."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        mode = CMP[_integer(call, "cmp_type")]
        simple(kernel, call, var, mnemonic=mnemonic, ins=f"{{cmpMode = #pto<cmp {mode}>}}")

    return handler


def cast(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.cast`."""
    mode = ROUND[_integer(call, "mode", 2)]
    simple(kernel, call, var, mnemonic="pto.tcvt", ins=f"{{rmode = #pto<round_mode {mode}>}}")


def precise(mnemonic: str, attribute: str) -> Handler:
    """An operation with a slower, more precise form."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        outs = f"{{precisionType = #pto<{attribute} high_precision>}}" if call.kwargs.get("high_precision") else ""
        simple(kernel, call, var, mnemonic=mnemonic, outs=outs)

    return handler


def only_argument(mnemonic: str, index: int) -> Handler:
    """An operation of whose arguments one is an operand; the others only shape the result."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        source = operand(kernel, call.args[index].type, call, index)
        write(kernel, mnemonic, [source], [result(kernel, call, var)])

    return handler


def column_sum(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.col_sum(tile[, tmp])`: with scratch space the sum is made in a binary tree."""
    ins = "{isBinary = true}" if len(call.args) > 1 else ""
    simple(kernel, call, var, mnemonic="pto.tcolsum", ins=ins)


def full(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.full(shape, value)`."""
    kind = call.type
    if not isinstance(kind, TileType):
        raise InternalError("tile.full yields a tile", call.span)
    write(kernel, "pto.texpands", [kernel.scalar(call.args[1], kind.dtype)], [result(kernel, call, var)])


def expand_scalar(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.expands(target, scalar)`: the target only shapes the result."""
    kind = call.type
    if not isinstance(kind, TileType):
        raise InternalError("tile.expands yields a tile", call.span)
    write(kernel, "pto.texpands", [kernel.scalar(call.args[1], kind.dtype)], [result(kernel, call, var)])


def index_ramp(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.ci(start, shape)`."""
    kind = call.type
    if not isinstance(kind, TileType):
        raise InternalError("tile.ci yields a tile", call.span)
    descending = "true" if call.kwargs.get("descending") else "false"
    start = kernel.scalar(call.args[0], kind.dtype)
    write(kernel, "pto.tci", [start], [result(kernel, call, var)], outs=f"{{descending = {descending}}}")


def gather_mask(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.gather_mask(src)`: the pattern stands among the operands."""
    source, target = kernel.value(call.args[0]), result(kernel, call, var)
    mask = MASKS[_integer(call, "mask_pattern", 1)]
    kernel.text.emit(
        f'pto.tgather ins({source.name}, {{maskPattern = #pto.mask_pattern<{mask}>}} : {source.type}, "row") '
        f"outs({target.name} : {target.type})"
    )


def gather_compare(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.gather_compare(src, kvalue, tmp)`: indices and counts, two destinations."""
    source = kernel.value(call.args[0])
    kind = call.args[0].type
    if not isinstance(kind, TileType):
        raise InternalError("tile.gather_compare needs a tile", call.span)
    threshold, scratch = kernel.scalar(call.args[1], kind.dtype), kernel.value(call.args[2])
    destinations = [value for _, value in kernel.outputs(call, var)]
    mode, offset = CMP[_integer(call, "cmp_mode")], _integer(call, "offset")
    outs = f"{{cmpMode = #pto<cmp {mode}>, offset = {offset} : i32}}"
    write(kernel, "pto.tgather", [source, threshold, scratch], destinations, outs=outs)


def merge_sort_blocks(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.mrgsort_format1(src, block_len)`."""
    operands = [kernel.value(call.args[0]), kernel.integer32(call.args[1])]
    write(kernel, "pto.tmrgsort", operands, [result(kernel, call, var)])


def merge_sort_lists(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.mrgsort_format2(lists..., tmp)`: a second destination says how far each list was used."""
    target = result(kernel, call, var)
    executed = kernel.text.define("arith.constant dense<0> : vector<4xi16>", "vector<4xi16>", "executed_vec")
    exhausted = "true" if call.kwargs.get("exhausted") else "false"
    operands = [kernel.value(arg) for arg in call.args]
    write(kernel, "pto.tmrgsort", operands, [target, executed], ins=f"{{exhausted = {exhausted}}}")


def scatter(mnemonic: str) -> Handler:
    """`tile.scatter(dst, src, indexes)`: the destination is the first argument's buffer."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        target: Value = kernel.value(call.args[0])
        write(kernel, mnemonic, [kernel.value(arg) for arg in call.args[1:]], [target])
        if var is not None:
            kernel.alias(var, call.args[0])

    return handler


def _integer(call: Call, name: str, default: int = 0) -> int:
    value = call.kwargs.get(name, default)
    if not isinstance(value, int):
        raise InternalError(f"{name} of {call.op.name} is no integer", call.span)
    return int(value)


def row_ramp(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.tri(diagonal, shape)`: a triangle of ones."""
    target, diagonal = result(kernel, call, var), kernel.integer32(call.args[0])
    upper = int(bool(call.kwargs.get("upper")))
    kernel.text.emit(
        f'"pto.ttri"({diagonal.name}, {target.name}) {{upperOrLower = {upper} : i32}} : (i32, {target.type}) -> ()'
    )


def random(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.random(key0, key1, counter0..3, shape)`."""
    target = result(kernel, call, var)
    keys = [kernel.integer32(arg) for arg in call.args[:6]]
    rounds = _integer(call, "rounds", 10)
    if rounds == 10:
        write(kernel, "pto.trandom", keys, [target])
        return
    names = ", ".join(value.name for value in (*keys, target))
    types = ", ".join(value.type for value in (*keys, target))
    kernel.text.emit(f'"pto.trandom"({names}) {{rounds = {rounds} : i32}} : ({types}) -> ()')


HANDLERS: dict[str, Handler] = {
    "tile.cmp": compare("pto.tcmp"),
    "tile.cmps": compare("pto.tcmps"),
    "tile.cast": cast,
    "tile.div": precise("pto.tdiv", "div_precision"),
    "tile.log": precise("pto.tlog", "log_precision"),
    "tile.recip": precise("pto.trecip", "recip_precision"),
    "tile.col_expand": only_argument("pto.tcolexpand", 1),
    "tile.row_expand": only_argument("pto.trowexpand", 1),
    "tile.fillpad_expand": only_argument("pto.tfillpad_expand", 0),
    "tile.col_sum": column_sum,
    "tile.full": full,
    "tile.expands": expand_scalar,
    "tile.ci": index_ramp,
    "tile.tri": row_ramp,
    "tile.random": random,
    "tile.gather_mask": gather_mask,
    "tile.gather_compare": gather_compare,
    "tile.mrgsort_format1": merge_sort_blocks,
    "tile.mrgsort_format2": merge_sort_lists,
    "tile.scatter": scatter("pto.tscatter"),
}

__all__ = ["CMP", "HANDLERS", "MASKS", "ROUND", "as_int"]
