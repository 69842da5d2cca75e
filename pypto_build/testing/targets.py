# SPDX-License-Identifier: Apache-2.0
"""The contract of a target in one line: what the host, the pipeline file, the store and the object rely on."""

from __future__ import annotations

from pathlib import PurePosixPath

from pypto_build.host import Member, Target, TargetContext, Unit
from pypto_build.ir import Program, canonical_form, decode, encode
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B
from pypto_build.pipeline.outcome import FunctionFacts
from pypto_build.testing.declaration import check_runner, demand
from pypto_build.testing.samples import samples_for


def check_target(target: Target, *programs: Program, context: TargetContext | None = None) -> int:
    """Check a target against its contract, on the samples that have what it requires and on `programs`; their number.

    Without a context, programs of one's own are translated for the default hardware.

    Raises:
        AssertionError: the contract is broken; the text says where.
    """
    check_runner(target)
    samples = samples_for(target)
    for one in samples:
        own = context or TargetContext(one.context.hardware, one.context.ops)
        _check_program(target, one.program, own, place=f"sample {one.name!r} after {one.stage!r}")
    for number, program in enumerate(programs):
        given = context or TargetContext(ASCEND910B, builtin_registry())
        _check_program(target, program, given, place=f"given program {number}")
    demand(
        bool(samples or programs), f"no sample has what {target.name} requires: give check_target a program that does"
    )
    return len(samples) + len(programs)


def _check_program(target: Target, program: Program, context: TargetContext, *, place: str) -> None:
    names = {function.name for function in program.functions.values()}
    outlines = {one.name: FunctionFacts.of(one).outline() for one in program.functions.values()}
    units = target.units(outlines)
    demand(len({unit.name for unit in units}) == len(units), f"two units of {target.name} have one name ({place})")
    demand(target.units(outlines) == units, f"{target.name} divides the same program differently ({place})")
    paths: list[str] = []
    for unit in units:
        strangers = sorted(set(unit.functions) - names)
        demand(not strangers, f"unit {unit.name} names functions that there are not: {strangers} ({place})")
        paths += [member.path for member in _members(target, unit, program, context, place=place)]
    demand(len(set(paths)) == len(paths), f"{target.name} emits two files with one path ({place})")


def _members(target: Target, unit: Unit, program: Program, context: TargetContext, *, place: str) -> tuple[Member, ...]:
    """What a unit comes to: the same for a copy, and for a program of nothing but the functions that it names."""
    part = program.with_functions(f for f in program.functions.values() if f.name in unit.functions)
    text = canonical_form(part)
    members = target.emit(unit, part, context)
    demand(canonical_form(part) == text, f"{target.name} changes the program ({place})")
    copy: Program = decode(encode(part, spans=True))
    demand(target.emit(unit, copy, context) == members, f"{target.name} emits something else for a copy ({place})")
    whole = target.emit(unit, program, context) == members
    demand(whole, f"unit {unit.name} depends on functions that it does not name ({place})")
    for member in members:
        path = PurePosixPath(member.path)
        inside = not path.is_absolute() and ".." not in path.parts and member.path == str(path)
        demand(inside, f"{member.path!r} is no path inside of an object ({place})")
        member.data.decode()
    return members
