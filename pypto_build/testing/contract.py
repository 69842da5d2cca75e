# SPDX-License-Identifier: Apache-2.0
"""The contract of a pass in one line: what the host, the pipeline file and the store rely on.

`check_contract(MyPass())` tries the pass on sample programs at the stages where it may run, and looks at what it
declares: its name, texts and options, and the code that the keys of its results are made of.
"""

from __future__ import annotations

from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import Pass, PassContext
from pypto_build.testing.declaration import check_class, check_fingerprint, check_options, demand
from pypto_build.testing.passes import check_properties, check_run
from pypto_build.testing.samples import Sample, samples_for


def check_contract(pass_: Pass, *programs: Program, context: PassContext | None = None) -> int:
    """Check a pass against its contract, on the sample programs that fit it and on `programs`; how many it ran on.

    A program that the pass refuses with a UserError counts as tried: refusing is within the contract.

    Raises:
        AssertionError: the contract is broken; the text says where.
    """
    check_declaration(pass_)
    check_options(pass_)
    check_fingerprint(pass_)
    own = (Sample("given", str(number), one, context or PassContext()) for number, one in enumerate(programs))
    ran = [_check_sample(pass_, sample) for sample in (*samples_for(pass_), *own)]
    if not any(ran):
        raise AssertionError(f"{pass_.name} ran on no program: give check_contract one that it accepts")
    return sum(ran)


def check_declaration(pass_: Pass) -> None:
    """A pass is called what its class is called, and reads facts that there are."""
    cls = type(pass_)
    demand(cls.name == cls.__name__, f"the class {cls.__name__} calls itself {cls.name!r}")
    check_class(pass_)
    for fact in cls.reads:
        PassContext().restricted(cls.reads).fact_key(fact)


def _check_sample(pass_: Pass, sample: Sample) -> bool:
    try:
        made = check_run(pass_, sample.program, context=sample.context)
        check_run(pass_, made, context=sample.context)
    except UserError:
        return False
    except AssertionError as problem:
        problem.add_note(f"on the sample program {sample.name!r} after {sample.stage!r}")
        raise
    reason = f"which {pass_.name} says it produces (sample {sample.name!r} after {sample.stage!r})"
    check_properties(pass_.produces, made, reason, context=sample.context)
    reason = f"which held before and {pass_.name} does not invalidate (sample {sample.name!r} after {sample.stage!r})"
    check_properties(sample.established - pass_.invalidates, made, reason, context=sample.context)
    return True
