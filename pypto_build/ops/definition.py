# SPDX-License-Identifier: Apache-2.0
"""What the registry knows about one operation: arguments, attributes, memory, effects and how its type is found.

A definition is a plain immutable record, so a family of operations that differ only in name is a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from pypto_build.ir import ArgEffect, DataType, MemorySpace, Op, PadValue, TensorLayout, TileLayout, Type, WriteChannel
from pypto_build.ops.operands import Operands

Deduce = Callable[[Operands], Type]
Effect = ArgEffect | Callable[[Mapping[str, object]], ArgEffect]
KwargType = type[bool | int | float | str | DataType | MemorySpace | TensorLayout | TileLayout | PadValue]


class CoreAffinity(Enum):
    """The core that executes an operation, where the hardware leaves no choice."""

    CUBE = "cube"
    VECTOR = "vector"
    SHARED = "shared"
    MIXED = "mixed"


class CrossCoreRole(Enum):
    """What an operation does to the pipe between the cube core and the vector cores."""

    INITIALIZE_PIPE = "initialize_pipe"
    TPUSH = "tpush"
    TPOP = "tpop"
    TFREE = "tfree"


class AccessEvidence(Enum):
    """What is known of the memory that an operation touches while it runs."""

    UNKNOWN = "unknown"
    FUNCTIONAL = "functional"  # reads its tile inputs, writes its result, nothing else
    NO_ACCESS = "no_access"  # a view or an allocation: touches no element


@dataclass(frozen=True, slots=True)
class ArgDef:
    """A positional argument; `kind` is for readers. Only the last arguments may be optional, only the last variadic."""

    name: str
    kind: str = ""
    optional: bool = False
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class KwargDef:
    """An attribute: a compile-time value of one type. A required one must be given, the default is what readers use."""

    name: str
    type: KwargType
    required: bool = False
    default: object = None


@dataclass(frozen=True, slots=True)
class FromKwarg:
    """The result lives in the space that an attribute names; without it in `default`, or not decided yet (None)."""

    name: str
    default: MemorySpace | None = None


@dataclass(frozen=True, slots=True)
class FromInput:
    """The result lives where the first tile argument lives."""


INHERIT = FromInput()
Spaces = tuple[MemorySpace, ...]


@dataclass(frozen=True, slots=True)
class MemorySpec:
    """Where tiles may live.

    `inputs` holds the allowed spaces per argument (empty: any; arguments past the end: any). `output` is None when the
    result is no tile, or one whose type the deduction gives a space.
    """

    inputs: tuple[Spaces, ...] = ()
    output: MemorySpace | FromKwarg | FromInput | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpDef:
    """One operation; two definitions are the same only if they are the same object.

    memory: None where nothing is declared; `no_memory` says that there is nothing to declare.
    effects: what the operation does to an argument's buffer, by argument number; an effect may depend on attributes.
        `no_arg_writes` is the verdict "writes through no argument" about all of them at once.
    reuses_input: the result is this argument's buffer.
    not_inplace_safe: the result must not share a buffer with any input.
    forbid_output_alias: the result must not share a buffer with these arguments.
    output_arity: how many values it yields; above 1 the type is a tuple.
    workspace_args: arguments that are scratch space: written by the hardware, read by nobody.
    no_duplicate: must not run on a second core.
    internal_only: made by passes, not written by users.
    reference: what an operation of a plugin computes, as a NumPy function of the argument arrays and scalars in order,
        with the attributes by name; it returns the array of the result, or a tuple of arrays for several.
    mnemonic: the instruction of an operation of a plugin, such as `pto.tsquare`, whose operands are all arguments in
        order and whose destinations are the results. The operations of the product have tables for both.
    """

    name: str
    category: str
    deduce: Deduce
    args: tuple[ArgDef, ...] = ()
    kwargs: tuple[KwargDef, ...] = ()
    memory: MemorySpec | None = None
    no_memory: bool = False
    effects: Mapping[int, Effect] = field(default_factory=lambda: MappingProxyType({}))
    no_arg_writes: bool = False
    reuses_input: int | None = None
    not_inplace_safe: bool = False
    forbid_output_alias: tuple[int, ...] = ()
    output_arity: int = 1
    workspace_args: tuple[int, ...] = ()
    core_affinity: CoreAffinity | None = None
    cross_core_role: CrossCoreRole | None = None
    no_duplicate: bool = False
    access: AccessEvidence = AccessEvidence.UNKNOWN
    write_channel: WriteChannel | None = None
    internal_only: bool = False
    description: str = ""
    reference: Callable[..., object] | None = None
    mnemonic: str = ""
    op: Op = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "effects", MappingProxyType(dict(self.effects)))
        object.__setattr__(self, "op", Op(self.name))

    @property
    def least_args(self) -> int:
        """How many arguments a call must have."""
        return sum(not (arg.optional or arg.variadic) for arg in self.args)

    @property
    def most_args(self) -> int | None:
        """How many arguments a call may have; None for any number."""
        return None if any(arg.variadic for arg in self.args) else len(self.args)

    def kwarg(self, name: str) -> KwargDef | None:
        """The attribute of this name, or None."""
        return next((kwarg for kwarg in self.kwargs if kwarg.name == name), None)

    def effect_on(self, index: int, kwargs: Mapping[str, object]) -> ArgEffect:
        """What a call with these attributes does to the buffer of an argument; Read unless declared otherwise."""
        effect = self.effects.get(index, ArgEffect.Read)
        return effect if isinstance(effect, ArgEffect) else effect(kwargs)

    def has_declared_effects(self) -> bool:
        """Whether somebody decided what this operation writes."""
        return self.no_arg_writes or bool(self.effects)

    def has_declared_effect(self, index: int) -> bool:
        """Whether somebody decided what this operation does to one argument."""
        return self.no_arg_writes or index in self.effects

    def may_write(self, index: int) -> bool:
        """Whether some call of this operation writes the argument."""
        return not self.no_arg_writes and self.effects.get(index, ArgEffect.Read) is not ArgEffect.Read
