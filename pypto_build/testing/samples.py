# SPDX-License-Identifier: Apache-2.0
"""Sample programs at every stage of the default pipeline, so that a pass can be tried wherever it may stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Protocol, cast

from pypto_build.ir import Program
from pypto_build.passes import (
    IRProperty,
    Pass,
    PassContext,
    PropertySet,
    VerifierRegistry,
    apply_pass,
    hardware_by_name,
)
from pypto_build.passes.properties import STRUCTURAL
from pypto_build.pipeline import Pipeline, load_pipeline
from pypto_build.pipeline.verifiers import verifier_registry
from pypto_build.testing.programs import program

VECTOR = """
@pl.function(type=pl.FunctionType.InCore)
def scale(
    self, x: pl.Tensor[[64, 32], pl.FP32], factor: pl.Scalar[pl.FP32], out: pl.Out[pl.Tensor[[64, 32], pl.FP32]]
) -> pl.Tensor[[64, 32], pl.FP32]:
    for row in pl.pipeline(0, 64, 16, stage=2):
        piece = pl.load(x, [row, 0], [16, 32])
        out = pl.store(pl.mul(pl.exp(piece), factor), [row, 0], out)
    return out

@pl.function(type=pl.FunctionType.Orchestration)
def main(
    self, x: pl.Tensor[[64, 32], pl.FP32], out: pl.Out[pl.Tensor[[64, 32], pl.FP32]]
) -> pl.Tensor[[64, 32], pl.FP32]:
    out = self.scale(x, 2.0, out)
    return out
"""

CUBE = """
@pl.function(type=pl.FunctionType.InCore)
def product(
    self, a: pl.Tensor[[32, 64], pl.FP16], b: pl.Tensor[[64, 32], pl.FP16], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]
) -> pl.Tensor[[32, 32], pl.FP32]:
    left = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
    right = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
    out = pl.store(pl.matmul(left, right), [0, 0], out)
    return out
"""

SCALARS = """
@pl.function
def count(self, n: pl.Scalar[pl.INDEX], limit: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
    total = n
    for step in pl.range(4):
        if total < limit:
            total = total + step * 2
        else:
            total = total - 1
    return total
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """A program at one stage: the step of the default pipeline that it has just passed, what ran so far, what holds."""

    name: str
    stage: str
    program: Program
    context: PassContext
    ran: tuple[str, ...] = ()
    established: PropertySet = frozenset()


class Requiring(Protocol):
    """A pass or a target: something that may run where its properties are established."""

    requires: ClassVar[PropertySet]


def samples_for(contribution: Requiring) -> tuple[Sample, ...]:
    """The samples on which a pass or target may run by its own rules, each at its earliest and latest such stage."""
    found: list[Sample] = []
    for name in _TEXTS:
        fitting = [sample for sample in _stages(name) if _may_run(contribution, sample)]
        found += [fitting[0], fitting[-1]] if len(fitting) > 1 else fitting
    return tuple(found)


def _may_run(contribution: Requiring, sample: Sample) -> bool:
    later: tuple[str, ...] = getattr(contribution, "before", ())  # a target has no such rule
    return contribution.requires <= sample.established and not set(later) & set(sample.ran)


@cache
def verifiers() -> VerifierRegistry:
    """The verifiers of the installed plugins."""
    return verifier_registry(_pipeline().host)


_TEXTS = {"vector": VECTOR, "cube": CUBE, "scalars": SCALARS}


@cache
def _pipeline() -> Pipeline:
    return load_pipeline("default")


@cache
def _stages(name: str) -> tuple[Sample, ...]:
    return tuple(_through(name, program(_TEXTS[name])))


def _through(name: str, made: Program) -> Iterator[Sample]:
    context = PassContext(hardware_description=hardware_by_name(_pipeline().hardware))
    established = STRUCTURAL | {IRProperty[prop] for prop in _pipeline().assumes}
    ran: tuple[str, ...] = ()
    yield Sample(name, "source", made, context, ran, established)
    for planned in _pipeline().passes:
        pass_ = cast(Pass, planned.instance)
        made = apply_pass(pass_, made, context)
        established = (established - pass_.invalidates) | pass_.produces
        ran = (*ran, pass_.name)
        yield Sample(name, planned.id, made, context, ran, established)
