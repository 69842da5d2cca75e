# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost in print: every class has a text, and every field that is in the digest changes it."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.ir.node import Entity
from pypto_build.ir.printing import python_print
from tests.unit.ir.changes import CLASSES, FIELDS, SAMPLES, changed

DERIVED = "the front end finds it from the operands"
ANNOTATED = "the variable that it is assigned to states it, and the front end finds it from the operation"
NAMED_BY_BASE = "the text names the allocation"
ALWAYS_THE_SAME = "the class has no other"

NOT_IN_THE_TEXT = {
    **{(cls, "dtype"): DERIVED for cls in (*ir.BINARY_CLASSES, *ir.UNARY_CLASSES) if cls is not ir.Cast},
    (ir.Call, "type"): ANNOTATED,
    (ir.Submit, "type"): ANNOTATED,
    (ir.IterArg, "type"): "that of the initial value",
    (ir.MemRef, "name_hint"): NAMED_BY_BASE,
    (ir.MemRef, "type"): ALWAYS_THE_SAME,
    (ir.WindowBuffer, "name_hint"): NAMED_BY_BASE,
    (ir.WindowBuffer, "type"): ALWAYS_THE_SAME,
    (ir.DistributedTensorType, "window_buffer"): "the front end finds it through the allocation that the window views",
    (ir.InlineStmt, "language"): ALWAYS_THE_SAME,
}


def shown(entity: Entity) -> str:
    """The text of an entity where its fields can be seen: a Var at its definition, a view inside a type."""
    if isinstance(entity, ir.TileView):
        return python_print(ir.TileType(ir.dims((16, 16)), ir.DataType.FP16, None, entity, ir.MemorySpace.Vec))
    if isinstance(entity, ir.TensorView):
        return python_print(ir.TensorType(ir.dims((16, 16)), ir.DataType.FP16, None, entity))
    if isinstance(entity, ir.IterArg):
        return python_print(ir.WhileStmt(ir.ConstBool(True), (entity,), ir.SeqStmts(()), ()))
    if isinstance(entity, ir.WindowBuffer):
        return python_print(ir.CommDomainScopeStmt(ir.SeqStmts(()), (), (entity,)))
    if isinstance(entity, ir.Var) and not isinstance(entity, ir.MemRef):
        return python_print(ir.AssignStmt(entity, ir.const_index(0)))
    return python_print(entity)  # type: ignore[arg-type]  # views are handled above


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_has_a_text(cls: type[Entity]):
    assert shown(SAMPLES[cls])


@pytest.mark.parametrize(("cls", "field"), [pair for pair in FIELDS if pair not in NOT_IN_THE_TEXT])
def test_every_field_is_in_the_text(cls: type[Entity], field: str):
    assert shown(SAMPLES[cls]) != shown(changed(cls, field))


@pytest.mark.parametrize(("cls", "field"), list(NOT_IN_THE_TEXT))
def test_a_field_that_is_said_to_be_missing_is_missing(cls: type[Entity], field: str):
    assert (cls, field) in FIELDS
    if NOT_IN_THE_TEXT[cls, field] is not ALWAYS_THE_SAME:
        assert shown(SAMPLES[cls]) == shown(changed(cls, field))
