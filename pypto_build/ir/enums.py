# SPDX-License-Identifier: Apache-2.0
"""The closed sets of names in the IR: memory spaces, layouts, function kinds, directions, loop kinds."""

from __future__ import annotations

from enum import Enum, IntEnum


class MemorySpace(Enum):
    """Where a tensor or tile lives."""

    DDR = 0
    Vec = 1
    Mat = 2
    Left = 3
    Right = 4
    Acc = 5
    Bias = 6
    ScalarLocal = 7
    LeftScale = 8
    RightScale = 9


class TensorLayout(Enum):
    """Order of a tensor's elements in global memory."""

    ND = 0
    DN = 1
    NZ = 2
    MX_A_ZZ = 3
    MX_B_NN = 4


class TileLayout(Enum):
    """Order of a tile's boxes (blayout) or of the elements in a box (slayout)."""

    none_box = 0
    row_major = 1
    col_major = 2


class PadValue(Enum):
    """What stands outside the valid part of a tile."""

    null = 0
    zero = 1
    max = 2
    min = 3


class CompactMode(Enum):
    """Whether the valid part of a tile is stored densely."""

    null = 0
    normal = 1


class FunctionType(Enum):
    """What a function is: the host's task graph, a kernel, a wrapper around kernels, or not decided yet."""

    Opaque = 0
    Orchestration = 1
    InCore = 2
    AIC = 3
    AIV = 4
    Group = 5
    Spmd = 6
    Inline = 7
    Graph = 8


class Level(Enum):
    """The machine level that a function or scope runs at."""

    AIV = 0
    AIC = 1
    CORE_GROUP = 2
    CHIP_DIE = 3
    CHIP = 4
    HOST = 5
    CLUSTER_0 = 6
    CLUSTER_1 = 7
    CLUSTER_2 = 8
    GLOBAL = 9
    L2CACHE = 3
    PROCESSOR = 4
    UMA = 4
    NODE = 5
    POD = 6
    CLOS1 = 7
    CLOS2 = 8


class Role(Enum):
    """Whether a function hands out work or does it."""

    Orchestrator = 0
    SubWorker = 1


class ParamDirection(Enum):
    """What a function does with a parameter."""

    In = 0
    Out = 1
    InOut = 2


class ArgDirection(Enum):
    """What a task does with an argument, as the runtime is told."""

    Input = 0
    Output = 1
    InOut = 2
    OutputExisting = 3
    NoDep = 4
    Scalar = 5


class ForKind(Enum):
    """How the iterations of a loop relate to each other."""

    Sequential = 0
    Parallel = 1
    Unroll = 2
    Pipeline = 3


class ScopeKind(Enum):
    """Which scope statement this is."""

    InCore = 0
    Cluster = 2
    Hierarchy = 3
    Spmd = 4
    Runtime = 5
    CommDomain = 6
    SplitAiv = 7


class SplitMode(Enum):
    """How a kernel is divided between the vector cores."""

    NONE = 0
    UP_DOWN = 1
    LEFT_RIGHT = 2


class InlineLanguage(Enum):
    """Language of verbatim code in the IR."""

    Python = 0


class PipeType(IntEnum):
    """The hardware pipes that synchronisation names."""

    MTE1 = 0
    MTE2 = 1
    MTE3 = 2
    M = 3
    V = 4
    S = 5
    FIX = 6
    ALL = 7


class CoreType(IntEnum):
    """The two kinds of core."""

    VECTOR = 0
    CUBE = 1


class NotifyOp(IntEnum):
    """How a remote signal is changed."""

    AtomicAdd = 0
    Set = 1


class WaitCmp(IntEnum):
    """How a signal is compared with what is expected."""

    Eq = 0
    Ge = 1


class AtomicType(IntEnum):
    """Whether a store adds to what is there."""

    None_ = 0
    Add = 1


class ReduceOp(IntEnum):
    """The reduction of a collective."""

    Sum = 0
    Max = 1
    Min = 2
    Prod = 3


class ArgEffect(Enum):
    """What an operation does to what an argument refers to."""

    Read = 0
    Write = 1
    ReadWrite = 2


class WriteChannel(Enum):
    """Through which unit a writing operation reaches memory."""

    Dma = 0
    Scalar = 1


DERIVED_LEVEL_AND_ROLE: dict[FunctionType, tuple[Level | None, Role | None]] = {
    FunctionType.Orchestration: (Level.CHIP, Role.Orchestrator),
    FunctionType.Graph: (Level.CHIP, Role.Orchestrator),
    FunctionType.InCore: (Level.CHIP_DIE, Role.SubWorker),
    FunctionType.AIC: (Level.AIC, Role.SubWorker),
    FunctionType.AIV: (Level.AIV, Role.SubWorker),
    FunctionType.Group: (Level.CORE_GROUP, Role.SubWorker),
    FunctionType.Opaque: (None, None),
    FunctionType.Spmd: (None, None),
    FunctionType.Inline: (None, None),
}
