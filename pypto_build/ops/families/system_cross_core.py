# SPDX-License-Identifier: Apache-2.0
"""What a cube core and its vector cores agree on: events, pipes between them, and the buffers of those pipes."""

from __future__ import annotations

from pypto_build.ir import DataType, ScalarType, TensorType, UnknownType, as_int, scalar_type
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.deduce_tensor import require
from pypto_build.ops.definition import ArgDef, CoreAffinity, CrossCoreRole, Deduce, KwargDef, OpDef
from pypto_build.ops.operands import Operands

EVENT_IDS = range(14)  # 14 and 15 belong to the runtime
FFTS_MODES = range(3)
CORE_TYPES = ("aic", "aiv")
_FFTS_ELEMENTS = 256


def event(operands: Operands) -> UnknownType:
    """An event between cores, of a fixed number or of one that is computed."""
    static = operands.kwargs.get("event_id")
    operands.check((static is None) is operands.has(0), "requires either a static event_id or a dynamic one")
    if operands.has(0):
        kind = operands.args[0].type
        dynamic = isinstance(kind, ScalarType) and kind.dtype is DataType.INDEX
        operands.check(dynamic, "requires a dynamic event_id of type ScalarType(INDEX)")
    else:
        operands.check(static in EVENT_IDS, f"event_id must be in [0, {EVENT_IDS[-1]}], but got {static}")
    mode = operands.kwargs.get("ffts_mode")
    operands.check(mode is None or mode in FFTS_MODES, f"ffts_mode must be 0, 1 or 2, but got {mode}")
    core = operands.kwargs.get("core_type")
    operands.check(core is None or core in CORE_TYPES, f"core_type must be one of {CORE_TYPES}, but got '{core}'")
    return UNKNOWN_TYPE


def event_workspace(operands: Operands) -> UnknownType:
    """The memory that the event unit of one hardware generation works in."""
    workspace = operands.args[0].type
    if not isinstance(workspace, TensorType):
        raise operands.error("requires the workspace to be a TensorType")
    operands.check(workspace.dtype is DataType.INT64, f"requires an INT64 workspace, but got {workspace.dtype}")
    require(operands, len(workspace.shape) == 1, "requires a 1-D workspace, but got {}", workspace.shape)
    elements = as_int(workspace.shape[0])
    large = elements is not None and elements >= _FFTS_ELEMENTS
    require(operands, large, "requires a workspace of at least 256 elements, but got {}", workspace.shape)
    return UNKNOWN_TYPE


def pipe(operands: Operands) -> UnknownType:
    """A pipe between the cores, of a number of slots."""
    for index in (0, 1):
        operands.scalar(index)
    slots, local = operands.kwargs.get("slot_num"), operands.kwargs.get("local_slot_num")
    for name, value in (("slot_num", slots), ("local_slot_num", local)):
        positive = value is None or (isinstance(value, int) and value > 0)
        operands.check(positive, f"{name} must be positive, but got {value}")
    if isinstance(slots, int) and isinstance(local, int):
        operands.check(local <= slots, f"local_slot_num must be at most slot_num, but got {local} > {slots}")
    return UNKNOWN_TYPE


def slot_freed(operands: Operands) -> UnknownType:
    """The slot of a tile that was popped goes back to its producer."""
    operands.tile(0)
    return UNKNOWN_TYPE


def buffer(_: Operands) -> ScalarType:
    """The address of a buffer."""
    return scalar_type(DataType.INT32)


_EVENT = (ArgDef("event_id_dyn", "ScalarType", optional=True),)
_BUFFERS = (ArgDef("c2v_consumer_buf", "ScalarType"), ArgDef("v2c_consumer_buf", "ScalarType"))
_PIPE = (
    KwargDef("dir_mask", int, required=True),
    KwargDef("slot_size", int, required=True),
    KwargDef("slot_num", int),
    KwargDef("local_slot_num", int),
    KwargDef("id", int),
)
_NAME = KwargDef("name", str, required=True)
_EVENT_KWARGS = (KwargDef("pipe", int, required=True), KwargDef("event_id", int))
_CORE_TYPE = KwargDef("core_type", str)

_TABLE: tuple[tuple[str, tuple[ArgDef, ...], tuple[KwargDef, ...], Deduce, str], ...] = (
    (
        "sync_set",
        _EVENT,
        (*_EVENT_KWARGS, KwargDef("ffts_mode", int), _CORE_TYPE),
        event,
        "tell the other core of an event",
    ),
    ("sync_wait", _EVENT, (*_EVENT_KWARGS, _CORE_TYPE), event, "wait for an event of the other core"),
    (
        "reserve_buffer",
        (),
        (_NAME, KwargDef("size", int, required=True), KwargDef("base", int)),
        buffer,
        "a buffer that the other core pushes into; without base, or with -1, the compiler places it",
    ),
    (
        "import_peer_buffer",
        (),
        (_NAME, KwargDef("peer_func", str, required=True)),
        buffer,
        "the buffer that a function of the other core reserved",
    ),
)
_SIDES = (("aic", CoreAffinity.CUBE), ("aiv", CoreAffinity.VECTOR))

OPS = (
    *(
        OpDef(
            name=f"system.{name}",
            category="CrossCoreOp",
            args=args,
            kwargs=kwargs,
            deduce=deduce,
            description=description,
        )
        for name, args, kwargs, deduce, description in _TABLE
    ),
    OpDef(
        name="system.set_ffts",
        category="CrossCoreOp",
        args=(ArgDef("workspace", "TensorType"),),
        deduce=event_workspace,
        no_arg_writes=True,  # the event unit writes there on its own schedule, which no edge between tasks models
        description="where the event unit keeps its state",
    ),
    *(
        OpDef(
            name=f"system.{side}_initialize_pipe",
            category="CrossCoreOp",
            args=_BUFFERS,
            kwargs=_PIPE,
            deduce=pipe,
            core_affinity=affinity,
            cross_core_role=CrossCoreRole.INITIALIZE_PIPE,
            description=f"this side of the pipe, on the {affinity.value} core",
        )
        for side, affinity in _SIDES
    ),
    *(
        OpDef(
            name=f"system.tfree_to_{peer}",
            category="CrossCoreOp",
            args=(ArgDef("tile", "TileType"),),
            kwargs=(KwargDef("split", int), KwargDef("id", int)),
            deduce=slot_freed,
            core_affinity=affinity,
            cross_core_role=CrossCoreRole.TFREE,
            description=f"give the slot of a popped tile back to the {peer} core",
        )
        for peer, affinity in (("aic", CoreAffinity.VECTOR), ("aiv", CoreAffinity.CUBE))
    ),
)
