# SPDX-License-Identifier: Apache-2.0
"""The contract of a target in one line."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import ClassVar

import pytest
from pypto_targets.orchestration.target import OrchestrationTarget
from pypto_targets.pto.target import PtoTarget

from pypto_build.host import Member, Unit
from pypto_build.ir import Call, collect
from pypto_build.testing import check_target, samples_for

_numbers = count()


@dataclass(frozen=True, slots=True)
class Listing:
    """Operations by function."""

    name: ClassVar[str] = "listing"
    requires: ClassVar[frozenset] = frozenset()
    version: ClassVar[int] = 1

    def units(self, outlines):
        return tuple(Unit(name, (name,)) for name in outlines)

    def emit(self, unit, program, *_):
        names = [call.op.name for call in collect(program.get_function(unit.name), Call)]
        return (Member(f"{unit.name}.txt", " ".join(names).encode()),)


@dataclass(frozen=True, slots=True)
class Numbered(Listing):
    """Another text each time."""

    def emit(self, unit, *_):
        return (Member(f"{unit.name}.txt", str(next(_numbers)).encode()),)


@dataclass(frozen=True, slots=True)
class Nosy(Listing):
    """Looks at functions that it does not name."""

    def emit(self, unit, program, *_):
        return (Member(f"{unit.name}.txt", str(len(program.functions)).encode()),)


@dataclass(frozen=True, slots=True)
class Crowded(Listing):
    """One path for everything."""

    def emit(self, *_):
        return (Member("all.txt", b""),)


@dataclass(frozen=True, slots=True)
class Escaping(Listing):
    """A path that leads out of the object."""

    def emit(self, unit, *_):
        return (Member(f"../{unit.name}.txt", b""),)


@dataclass(frozen=True, slots=True)
class Inventing(Listing):
    """A function that there is not."""

    def units(self, outlines):
        return (Unit("all", (*outlines, "nobody")),)


BROKEN = {
    "emits something else for a copy": Numbered(),
    "depends on functions that it does not name": Nosy(),
    "emits two files with one path": Crowded(),
    "is no path inside of an object": Escaping(),
    r"names functions that there are not: \['nobody'\]": Inventing(),
}


@pytest.mark.parametrize("target", [Listing(), PtoTarget(), OrchestrationTarget()], ids=lambda target: target.name)
def test_a_target_that_keeps_it_ran_on_every_sample_that_fits(target):
    assert check_target(target) == len(samples_for(target)) > 0


@pytest.mark.parametrize("text", BROKEN)
def test_what_breaks_it_is_named(text: str):
    with pytest.raises(AssertionError, match=text):
        check_target(BROKEN[text])
