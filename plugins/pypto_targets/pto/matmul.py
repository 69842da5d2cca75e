# SPDX-License-Identifier: Apache-2.0
"""Accumulating matrix products: the accumulator is operand and destination at once."""

from __future__ import annotations

from pypto_build.ir import Call, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, result, simple, write


def accumulate(mnemonic: str, fresh: str = "") -> Handler:
    """`x_acc(acc, operands...[, init_cond])`; with a condition the first product may overwrite instead of add."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        target = result(kernel, call, var) if var is not None else kernel.value(call.args[0])
        arity = 3 if fresh else len(call.args)
        operands = [kernel.value(arg) for arg in call.args[1:arity]]
        if len(call.args) <= arity:
            write(kernel, mnemonic, [target, *operands], [target], outs=_phase(call))
            return
        condition = kernel.value(call.args[arity])
        kernel.text.emit(f"scf.if {condition.name} {{", place=False)
        kernel.text.level += 1
        write(kernel, fresh, operands, [target])
        kernel.text.level -= 1
        kernel.text.emit("} else {", place=False)
        kernel.text.level += 1
        write(kernel, mnemonic, [target, *operands], [target])
        kernel.text.level -= 1
        kernel.text.emit("}", place=False)

    return handler


def vector_product(mnemonic: str) -> Handler:
    """`tile.gemv` and its biased form, with the phase of the accumulator."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        simple(kernel, call, var, mnemonic=mnemonic, outs=_phase(call))

    return handler


def _phase(call: Call) -> str:
    phase = call.kwargs.get("acc_phase", "unspecified")
    return f"{{accPhase = #pto<acc_phase {phase}>}}" if phase != "unspecified" else ""


HANDLERS: dict[str, Handler] = {
    "tile.matmul_acc": accumulate("pto.tmatmul.acc", "pto.tmatmul"),
    "tile.matmul_mx_acc": accumulate("pto.tmatmul.mx.acc"),
    "tile.gemv_acc": accumulate("pto.tgemv.acc"),
    "tile.gemv": vector_product("pto.tgemv"),
    "tile.gemv_bias": vector_product("pto.tgemv.bias"),
}
