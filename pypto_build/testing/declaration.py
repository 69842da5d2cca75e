# SPDX-License-Identifier: Apache-2.0
"""What every contribution with options owes: a class that the host, the pipeline file and the store can work with."""

from __future__ import annotations

import inspect
from pathlib import Path
from tempfile import TemporaryDirectory

from pypto_build.driver.deep import fingerprinter
from pypto_build.host import Simulator, Target
from pypto_build.pipeline.options import documented_options, option_values


def demand(holds: bool, otherwise: str) -> None:
    """AssertionError with a text unless something holds."""
    if not holds:
        raise AssertionError(otherwise)


def check_runner(instance: Target | Simulator) -> None:
    """A target or simulator has a name for pipeline files, and what every contribution owes."""
    demand(instance.name.isidentifier() and instance.name.islower(), f"{instance.name!r} is no name in snake_case")
    check_class(instance)
    check_options(instance)
    check_fingerprint(instance)


def check_class(instance: object) -> None:
    """A contribution is an instance of a frozen, slotted, documented dataclass."""
    cls = type(instance)
    demand("__slots__" in vars(cls), f"{cls.__name__} has no slots: @dataclass(frozen=True, slots=True)")
    frozen = getattr(vars(cls).get("__dataclass_params__"), "frozen", False)
    demand(frozen is True, f"{cls.__name__} can be changed: @dataclass(frozen=True, slots=True)")
    written = not (cls.__doc__ or "").startswith(f"{cls.__name__}(")  # a dataclass without one gets its signature
    demand(bool(inspect.getdoc(cls)) and written, f"{cls.__name__} has no docstring")


def check_options(instance: object) -> None:
    """Every option is documented, and its value survives the way through a pipeline file."""
    cls = type(instance)
    plain = option_values(instance)
    values: dict[str, object] = {}
    for option in documented_options(cls):
        demand(bool(option.doc), f"option {option.name} of {cls.__name__} has no text")
        values[option.name] = option.convert(plain[option.name])
    demand(cls(**values) == instance, f"the options of {cls.__name__} come back changed from a pipeline file")


def check_fingerprint(instance: object) -> None:
    """The code can be read, since an edit of it must make its results again."""
    cls = type(instance)
    file = getattr(inspect.getmodule(cls), "__file__", None)
    if not isinstance(file, str):
        raise AssertionError(f"the code of {cls.__name__} is in no file: its results could not be keyed")
    with TemporaryDirectory() as directory:
        fingerprinter(Path(directory) / "index").file(file)
