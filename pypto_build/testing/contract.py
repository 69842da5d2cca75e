# SPDX-License-Identifier: Apache-2.0
"""The contract of a pass in one line: what the host, the pipeline file and the store rely on.

`check_contract(MyPass())` tries the pass on sample programs at the stages where it may run, and looks at what it
declares: its name, texts and options, and the code that the keys of its results are made of.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from tempfile import TemporaryDirectory

from pypto_build.driver.deep import fingerprinter
from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import Pass, PassContext
from pypto_build.pipeline.options import documented_options, option_values
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
    """A pass is a frozen, slotted, documented dataclass that is called what its class is called."""
    cls = type(pass_)
    _demand(cls.name == cls.__name__, f"the class {cls.__name__} calls itself {cls.name!r}")
    _demand("__slots__" in vars(cls), f"{cls.__name__} has no slots: @dataclass(frozen=True, slots=True)")
    frozen = getattr(vars(cls).get("__dataclass_params__"), "frozen", False)
    _demand(frozen is True, f"{cls.__name__} can be changed: @dataclass(frozen=True, slots=True)")
    written = not (cls.__doc__ or "").startswith(f"{cls.__name__}(")  # a dataclass without one gets its signature
    _demand(bool(inspect.getdoc(cls)) and written, f"{cls.__name__} has no docstring")
    for fact in cls.reads:
        PassContext().restricted(cls.reads).fact_key(fact)


def check_options(pass_: Pass) -> None:
    """Every option is documented, and its value survives the way through a pipeline file."""
    cls = type(pass_)
    plain = option_values(pass_)
    values: dict[str, object] = {}
    for option in documented_options(cls):
        _demand(bool(option.doc), f"option {option.name} of {cls.name} has no text")
        values[option.name] = option.convert(plain[option.name])
    _demand(cls(**values) == pass_, f"the options of {cls.name} come back changed from a pipeline file")


def check_fingerprint(pass_: Pass) -> None:
    """The code of the pass can be read, since an edit of it must make its results again."""
    file = getattr(inspect.getmodule(type(pass_)), "__file__", None)
    if not isinstance(file, str):
        raise AssertionError(f"the code of {pass_.name} is in no file: its results could not be keyed")
    with TemporaryDirectory() as directory:
        fingerprinter(Path(directory) / "index").file(file)


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


def _demand(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
