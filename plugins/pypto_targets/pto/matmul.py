# SPDX-License-Identifier: Apache-2.0
"""Matrix products with more to say than operands: accumulators, phases, scales."""

from __future__ import annotations

from pypto_build.ir import Call, ConstBool, Expr, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, in_place, result, simple, write
from pypto_targets.pto.text import Value


def accumulate(mnemonic: str, fresh: str = "") -> Handler:
    """`x_acc(acc, operands...[, init_cond])`: the accumulator is operand and destination at once.

    With a condition the first product overwrites instead of adding: a constant decides now, anything else at run time.
    """

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        target = result(kernel, call, var) if var is not None else kernel.value(call.args[0])
        arity = 3 if fresh else len(call.args)
        factors = [kernel.value(arg) for arg in call.args[1:arity]]
        condition = call.args[arity] if len(call.args) > arity else ConstBool(False)
        if isinstance(condition, ConstBool):
            adding = [] if condition.value else [target]
            name = fresh if condition.value else mnemonic
            write(kernel, name, [*adding, *factors], [target], outs=_phase(call))
        else:
            _chosen(kernel, condition, (mnemonic, fresh), factors, target)

    return handler


def _chosen(kernel: Kernel, condition: Expr, mnemonics: tuple[str, str], factors: list[Value], target: Value) -> None:
    adding, fresh = mnemonics
    kernel.text.emit(f"scf.if {kernel.value(condition).name} {{", place=False)
    with kernel.text.region():
        write(kernel, fresh, factors, [target])
    kernel.text.emit("} else {", place=False)
    with kernel.text.region():
        write(kernel, adding, [target, *factors], [target])
    kernel.text.emit("}", place=False)


def phased(mnemonic: str) -> Handler:
    """`tile.gemv` and its biased form, with the phase of the accumulator."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        simple(kernel, call, var, mnemonic=mnemonic, outs=_phase(call))

    return handler


def _phase(call: Call) -> str:
    phase = call.kwargs.get("acc_phase", "unspecified")
    return f"{{accPhase = #pto<acc_phase {phase}>}}" if phase != "unspecified" else ""


def scale_address(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.tget_scale_addr(scale, operand)`: the scales lie where the operand wants them."""
    target = in_place(kernel, call, var)
    write(kernel, "pto.tget_scale_addr", [kernel.value(call.args[1])], [target])


HANDLERS: dict[str, Handler] = {
    "tile.matmul_acc": accumulate("pto.tmatmul.acc", "pto.tmatmul"),
    "tile.matmul_mx_acc": accumulate("pto.tmatmul.mx.acc"),
    "tile.gemv_acc": accumulate("pto.tgemv.acc"),
    "tile.gemv": phased("pto.tgemv"),
    "tile.gemv_bias": phased("pto.tgemv.bias"),
    "tile.tget_scale_addr": scale_address,
}
