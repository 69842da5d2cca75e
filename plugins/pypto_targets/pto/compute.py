# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations, reductions and broadcasts whose instruction has an attribute, or fewer operands."""

from __future__ import annotations

from pypto_build.ir import Call, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, integer_kwarg, operand, result, simple, write

CMP = ("eq", "ne", "lt", "le", "gt", "ge")
ROUND = ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD", "CAST_RINT")


def compare(mnemonic: str) -> Handler:
    """`tile.cmp`, `tile.cmps`: the mode stands inside `ins`."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        mode = CMP[integer_kwarg(call, "cmp_type")]
        simple(kernel, call, var, mnemonic=mnemonic, ins=f"{{cmpMode = #pto<cmp {mode}>}}")

    return handler


def cast(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.cast`."""
    mode = ROUND[integer_kwarg(call, "mode", 2)]
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
}
