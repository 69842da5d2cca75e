# SPDX-License-Identifier: Apache-2.0
"""The copy of a kernel that gets windows: its parameters are the boxes that it touches, and it counts from their
corners.
"""

from __future__ import annotations

from typing import cast

from pypto_build.ir import (
    Call,
    DataType,
    Expr,
    Function,
    MakeTuple,
    Sub,
    TensorLayout,
    TensorType,
    TensorView,
    Type,
    Var,
    clone_fresh,
    const_index,
    dims,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.tensor_layout import packed_strides
from pypto_passes.kernel_windows import Box, KernelWindows
from pypto_passes.retyping import Retyped

SUFFIX = "__windowed"
_OFFSETS = {"tile.load": (0, 1), "tile.store": (2, 1)}
"""The tensor and the offset among an operation's arguments."""


def windowed_kernel(kernel: Function, windows: KernelWindows, returned: tuple[int, ...], ops: OpRegistry) -> Function:
    """The copy; `returned` is which parameter each result is."""
    boxed: dict[Var, Expr] = {
        kernel.params[index]: rebuilt(kernel.params[index], {"type": window_type(kernel.params[index].type, box)})
        for index, box in windows.boxes.items()
    }
    body = _Localized(ops, boxed, windows).visit_body(kernel.body)
    given = [boxed.get(param, param) for param in kernel.params]
    own = [rebuilt(param, {}) for param in given]
    fresh, _ = clone_fresh(body, dict(zip(cast("list[Var]", given), own, strict=True)))
    types = tuple(
        given[position].type if position in windows.boxes else kind
        for position, kind in zip(returned, kernel.return_types, strict=True)
    )
    changes = {"name": kernel.name + SUFFIX, "params": tuple(own), "body": fresh, "return_types": types}
    return rebuilt(kernel, changes)


def window_type(kind: Type, box: Box) -> TensorType:
    """The type of a box of a tensor, which keeps the strides of the whole."""
    assert isinstance(kind, TensorType)
    own = kind.tensor_view.stride if kind.tensor_view is not None else ()
    view = TensorView(own or packed_strides(kind.shape, TensorLayout.ND), TensorLayout.ND)
    return rebuilt(kind, {"shape": dims(box.shape), "tensor_view": view})


class _Localized(Retyped):
    """Moves the origin of every access to the corner of its box."""

    def __init__(self, ops: OpRegistry, params: dict[Var, Expr], windows: KernelWindows) -> None:
        super().__init__(ops, params)
        self._windows = windows

    def visit_call(self, call: Call) -> Expr:
        tensor, offset = _OFFSETS.get(call.op.name, (0, 0))
        box = self._windows.boxes.get(self._windows.owner.get(call.args[tensor], -1)) if offset else None
        places = call.args[offset] if box is not None else None
        if box is None or not isinstance(places, MakeTuple):
            return super().visit_call(call)
        args = [self.visit(arg) for arg in call.args]
        args[offset] = MakeTuple(tuple(self._local(place, axis, box) for axis, place in enumerate(places.elements)))
        return self.ops.create_call(call.op.name, args, call.kwargs, call.span, call.attrs)

    def _local(self, place: Expr, axis: int, box: Box) -> Expr:
        base, form = box.base[axis], self._windows.forms.of(place)
        if not base.terms and not base.constant:
            return self.visit(place)
        if form is not None and not (form + base.scaled(-1)).terms:
            return const_index(form.constant - base.constant)
        return Sub(self.visit(place), base.expr(), DataType.INDEX, place.span)
