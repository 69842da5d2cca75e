# SPDX-License-Identifier: Apache-2.0
"""A target or simulator behind a process of its own (`isolate: process`); callers see the same contract.

Results travel as a JSON head and raw bytes: no pickle, so a result cannot run anything in the parent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from pypto_build.errors import Span
from pypto_build.host.contracts import (
    FunctionOutline,
    Member,
    SimulationRequest,
    SimulationResult,
    Simulator,
    Target,
    TargetContext,
    Unit,
)
from pypto_build.host.isolation import Limit, run_isolated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pypto_build.ir import Program

_LENGTH = 8
_Place = tuple[str, int, int, int, int]
_MemberHead = tuple[str, list[tuple[int, _Place]]]


@dataclass(frozen=True, slots=True)
class IsolatedTarget:
    """A target whose `emit` runs in a process of its own."""

    target: Target
    limit: Limit
    name: str
    requires: frozenset[object]
    version: int

    @staticmethod
    def of(target: Target, limit: Limit) -> IsolatedTarget:
        """Put a target behind a process."""
        requires = cast(frozenset[object], getattr(target, "requires", ()))
        return IsolatedTarget(target, limit, target.name, requires, target.version)

    def units(self, outlines: Mapping[str, FunctionOutline]) -> tuple[Unit, ...]:
        """See Target; dividing a program is quick, and stays in this process."""
        return self.target.units(outlines)

    def emit(self, unit: Unit, program: Program, context: TargetContext) -> tuple[Member, ...]:
        """See Target."""
        return isolated_members(lambda: self.target.emit(unit, program, context), self.limit)


@dataclass(frozen=True, slots=True)
class IsolatedSimulator:
    """A simulator that runs in a process of its own."""

    simulator: Simulator
    limit: Limit
    name: str
    version: int

    @staticmethod
    def of(simulator: Simulator, limit: Limit) -> IsolatedSimulator:
        """Put a simulator behind a process."""
        return IsolatedSimulator(simulator, limit, simulator.name, simulator.version)

    def simulate(self, request: SimulationRequest) -> SimulationResult:
        """See Simulator."""
        return decode_result(run_isolated(lambda: encode_result(self.simulator.simulate(request)), self.limit))


def isolated_members(emit: Callable[[], tuple[Member, ...]], limit: Limit) -> tuple[Member, ...]:
    """What a target emits, when it does so in a process of its own."""
    return decode_members(run_isolated(lambda: encode_members(emit()), limit))


def encode_members(members: tuple[Member, ...]) -> bytes:
    """Members as bytes."""
    heads = [(one.path, [(line, _place(span)) for line, span in one.locations]) for one in members]
    return _pack(heads, [one.data for one in members])


def decode_members(data: bytes) -> tuple[Member, ...]:
    """Members from bytes."""
    head, bodies = _unpack(data)
    return tuple(
        Member(path, body, tuple((line, Span(*place)) for line, place in locations))
        for (path, locations), body in zip(cast(list[_MemberHead], head), bodies, strict=True)
    )


def encode_result(result: SimulationResult) -> bytes:
    """A simulator's result as bytes."""
    arrays = [(name, _contiguous(array)) for name, array in result.outputs.items()]
    head = {
        "outputs": [[name, array.dtype.name, list(array.shape)] for name, array in arrays],
        "report": dict(result.report),
    }
    return _pack(head, [*(array.tobytes() for _, array in arrays), encode_members(result.members)])


def decode_result(data: bytes) -> SimulationResult:
    """A simulator's result from bytes."""
    import numpy as np

    head, bodies = _unpack(data)
    facts = cast(Mapping[str, object], head)
    outputs: dict[str, NDArray[np.generic]] = {}
    described = cast(Sequence[tuple[str, str, list[int]]], facts["outputs"])
    for (name, dtype, shape), body in zip(described, bodies[:-1], strict=True):
        outputs[name] = np.frombuffer(body, dtype=_dtype(dtype)).reshape(shape).copy()
    return SimulationResult(outputs, cast(Mapping[str, object], facts["report"]), decode_members(bodies[-1]))


def _contiguous(array: NDArray[np.generic]) -> NDArray[np.generic]:
    import numpy as np

    return np.ascontiguousarray(array).reshape(array.shape)  # which would make a scalar one-dimensional


def _dtype(name: str) -> np.dtype[np.generic]:
    import numpy as np

    try:
        return np.dtype(name)
    except TypeError:  # such as bfloat16, known once this module is imported
        import ml_dtypes

        return np.dtype(cast(type[np.generic], getattr(ml_dtypes, name)))


def _place(span: Span) -> _Place:
    return (span.filename, span.begin_line, span.begin_column, span.end_line, span.end_column)


def _pack(head: object, bodies: Sequence[bytes]) -> bytes:
    parts = [json.dumps(head).encode(), *bodies]
    return b"".join(len(part).to_bytes(_LENGTH, "big") + part for part in parts)


def _unpack(data: bytes) -> tuple[object, list[bytes]]:
    parts: list[bytes] = []
    at = 0
    while at < len(data):
        begin = at + _LENGTH
        at = begin + int.from_bytes(data[at:begin], "big")
        parts.append(data[begin:at])
    return cast(object, json.loads(parts[0])), parts[1:]
