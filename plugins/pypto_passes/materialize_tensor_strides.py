# SPDX-License-Identifier: Apache-2.0
"""MaterializeTensorStrides: a tensor that says how it lies in memory says its strides too.

A view without strides means "packed, in the order that the layout names". Code generation wants the numbers, so they
are written down here, on every type that the program mentions. A tensor without a view is row-major and packed and
stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from pypto_build.errors import Span, UserError
from pypto_build.ir import (
    Function,
    Node,
    Rewriter,
    TensorLayout,
    TensorType,
    TensorView,
    Type,
    Var,
    rebuilt,
)
from pypto_build.ops.tensor_layout import MX_LAYOUTS, packed_strides
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.lower_pipeline_loops import KEPT

_N = TypeVar("_N", bound=Node)
_M = TypeVar("_M")


@dataclass(frozen=True, slots=True)
class MaterializeTensorStrides(FunctionPass):
    """Write the packed strides into every tensor view that leaves them out, as its layout orders the elements."""

    name: ClassVar[str] = "MaterializeTensorStrides"
    requires: ClassVar[frozenset[IRProperty]] = KEPT
    produces: ClassVar[frozenset[IRProperty]] = KEPT | {IRProperty.TensorViewCanonical}
    after: ClassVar[tuple[str, ...]] = ("ExpandMixedKernel", "CanonicalizeIOOrder")
    before: ClassVar[tuple[str, ...]] = ("InitMemRef",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with explicit strides; the same object when every view has them.

        Raises:
            UserError: a tensor in NZ layout, which is an order inside tiles and has no strides.
        """
        del callees, context
        return _Strides(function.span).visit(function)


class _Strides(Rewriter):
    """Completes the types; `place` is the nearest line of the program, for messages."""

    def __init__(self, place: Span) -> None:
        super().__init__()
        self.place = place

    def visit(self, node: Node) -> Any:  # Any: as in Rewriter
        return self._at(node, super().visit)

    def visit_definition(self, var: Var) -> Var:
        return self._at(var, super().visit_definition)

    def _at(self, node: _N, visit: Callable[[_N], _M]) -> _M:
        outer = self.place
        self.place = node.span if node.span.is_valid() else outer
        made = visit(node)
        self.place = outer
        return made

    def visit_type(self, kind: Type) -> Type:
        new = super().visit_type(kind)
        if not isinstance(new, TensorType) or new.tensor_view is None:
            return new
        view = self._completed(new, new.tensor_view)
        return new if view is new.tensor_view else rebuilt(new, {"tensor_view": view})

    def _completed(self, kind: TensorType, view: TensorView) -> TensorView:
        """A view with its strides; as it is when it has them, or when its layout is an order of boxes of scales."""
        if view.layout is TensorLayout.NZ:
            raise UserError("STRIDE001", f"a tensor cannot have NZ layout: {kind}", self.place, help=_NO_NZ)
        if view.stride or view.layout in MX_LAYOUTS:
            return view
        if view.layout is TensorLayout.DN and len(kind.shape) < 2:
            text = f"a tensor in DN layout has two dimensions or more: {kind}"
            raise UserError("STRIDE002", text, self.place, help="leave the layout out: one dimension has one order")
        return rebuilt(view, {"stride": packed_strides(kind.shape, view.layout)})


_NO_NZ = "NZ is an order inside tiles: leave the tensor in ND or DN, and load it into a tile"
