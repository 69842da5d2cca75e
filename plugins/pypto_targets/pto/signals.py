# SPDX-License-Identifier: Apache-2.0
"""Ranks, and the counters by which they tell each other how far they are."""

from __future__ import annotations

from typing import Final

from pypto_build.errors import UserError
from pypto_build.ir import Call, ConstInt, DataType, Expr, NotifyOp, TensorType, Var, WaitCmp
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, integer_kwarg, named, tensor_of, typed
from pypto_targets.pto.remote import RANK_SLOT, context_of, context_slot, local_part, peer_part, rank_of
from pypto_targets.pto.synchronization import wait_for
from pypto_targets.pto.tensors import strides_of
from pypto_targets.pto.text import Value

REGISTER: Final = "pypto_register_counter_completion"
DECLARATION: Final = f"func.func private @{REGISTER}(!pto.ptr<i64>, !pto.ptr<i32>, i64, i64)"
_HIGH_HALF = 32
_COUNTER = DataType.INT32


def context(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.system.get_comm_ctx(tensor)`: a name for a parameter."""
    if var is not None:
        kernel.values[var] = context_of(kernel, call.args[0])


def rank(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.system.rank(context)`."""
    if var is not None:
        kernel.values[var] = rank_of(kernel, kernel.value(call.args[0]), var.name_hint)


def rank_count(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.system.nranks(context)`: the other half of the slot of the rank."""
    if var is None:
        return
    both = context_slot(kernel, kernel.value(call.args[0]), kernel.text.integer(RANK_SLOT, "index"))
    bits = kernel.text.integer(_HIGH_HALF, "i64")
    high = kernel.text.define(f"arith.shrui {both.name}, {bits.name} : i64", "i64")
    kernel.bind(var, f"arith.trunci {high.name} : i64 to i32", "i32")


def notify(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.system.notify(target, peer, offsets, value)`: everything written before is there when the peer sees it."""
    del var
    offsets = tuple_items(call.args[2])
    counter = peer_part(kernel, call.args[0], call.args[1], offsets=offsets, extents=_ones(len(offsets)))
    operands = [counter, kernel.integer(call.args[3], _COUNTER)]
    how = "set" if integer_kwarg(call, "op", NotifyOp.AtomicAdd) == NotifyOp.Set else "atomic_add"
    wait_for(kernel, "PIPE_ALL")
    kernel.text.emit(f"pto.comm.tnotify({named(operands)} : {typed(operands)}) {{notifyOp = #pto<notify_op {how}>}}")


def wait(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.system.wait(signal, offsets, expected)`: on a counter of this rank."""
    del var
    offsets = tuple_items(call.args[1])
    counter = local_part(kernel, call.args[0], offsets, _ones(len(offsets)))
    operands = [counter, kernel.integer(call.args[2], _COUNTER)]
    how = "ge" if integer_kwarg(call, "cmp") == WaitCmp.Ge else "eq"
    kernel.text.emit(f"pto.comm.twait({named(operands)} : {typed(operands)}) {{cmp = #pto<wait_cmp {how}>}}")


def _ones(rank: int) -> tuple[Expr, ...]:
    return (ConstInt(1),) * rank


def defer_wait(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.system.defer_wait(signal, offsets, expected)`: the runtime waits, not the core.

    The runtime is handed the number of the counter, or -1 when a computed coordinate is outside of the tensor.
    """
    del var
    if kernel.function.name == REGISTER:
        text = f"the kernel name {REGISTER} is reserved for PyPTO's deferred-completion runtime adapter"
        raise UserError("PTO014", text, kernel.function.span)
    kind = tensor_of(call, 0)
    places = [kernel.index(index) for index in tuple_items(call.args[1])]
    number = _guarded(kernel, kind, places)
    position = kernel.text.define(f"arith.index_cast {number.name} : index to i64", "i64")
    expected = kernel.integer(call.args[2], DataType.INT64)
    given = [kernel.hidden["deferred_args"], kernel.pointer(call.args[0]), position, expected]
    kernel.text.emit(f"func.call @{REGISTER}({named(given)}) : ({typed(given)}) -> ()")


def _guarded(kernel: Kernel, kind: TensorType, places: list[Value]) -> Value:
    """The flat position of a counter."""
    define, strides = kernel.text.define, strides_of(kernel, kind)
    flat = kernel.text.integer(0, "index")
    for place, stride in zip(places, strides, strict=True):
        step = define(f"arith.muli {place.name}, {stride.name} : index", "index")
        flat = define(f"arith.addi {flat.name}, {step.name} : index", "index")
    view = kind.tensor_view
    extents = view.valid_shape if view is not None and view.valid_shape else kind.shape
    for place, extent in zip(places, extents, strict=True):
        flat = _inside(kernel, place, kernel.index(extent), flat)
    return flat


def _inside(kernel: Kernel, place: Value, extent: Value, flat: Value) -> Value:
    define = kernel.text.define
    zero, outside = kernel.text.integer(0, "index"), kernel.text.integer(-1, "index")
    for comparison, bound in (("slt", zero), ("sge", extent)):
        wrong = define(f"arith.cmpi {comparison}, {place.name}, {bound.name} : index", "i1")
        flat = define(f"arith.select {wrong.name}, {outside.name}, {flat.name} : index", "index")
    return flat


HANDLERS: dict[str, Handler] = {
    "pld.system.get_comm_ctx": context,
    "pld.system.rank": rank,
    "pld.system.nranks": rank_count,
    "pld.system.notify": notify,
    "pld.system.wait": wait,
    "pld.system.defer_wait": defer_wait,
}
