# SPDX-License-Identifier: Apache-2.0
"""What `@pl.jit` and its variants make: a Python function that is read once its arguments are known."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, cast

from pypto_build.dsl.jit.arguments import Number
from pypto_build.dsl.surroundings import closure_cells
from pypto_build.errors import UserError
from pypto_build.ir import FunctionType, Level, Role, Type


@dataclass(frozen=True, slots=True)
class Given:
    """What a caller says of a parameter: the type of its argument, and the number where that is known."""

    type: Type | None = None
    value: Number | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JITFunction:
    """A kernel without types of its own.

    decorator is what was written (`jit.incore`); names are those of the function around it, empty in a module.
    """

    decorated: Callable[..., object]
    decorator: str
    func_type: FunctionType
    names: Mapping[str, object]
    level: Level | None = None
    role: Role | None = None
    auto_scope: bool = True

    @property
    def python(self) -> types.FunctionType:
        """The Python function."""
        return cast("types.FunctionType", self.decorated)  # decorated_function takes nothing else

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self.python.__name__

    @property
    def is_entry(self) -> bool:
        """Whether a program may begin here: `@pl.jit` and `@pl.jit.host`."""
        return self.func_type is FunctionType.Orchestration or self.is_host

    @property
    def is_host(self) -> bool:
        """Whether it runs on the host and hands work to devices."""
        return self.role is Role.Orchestrator and self.level is Level.HOST

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        code = self.python.__code__
        return code.co_varnames[: code.co_argcount]

    def defaults(self) -> dict[str, object]:
        """The default values of parameters that have one."""
        values = self.python.__defaults__ or ()
        return dict(zip(self.parameters[len(self.parameters) - len(values) :], values, strict=True))

    def closure(self) -> dict[str, object]:
        """The Python names around the function, as they are now."""
        return {**self.python.__globals__, **self.names, **closure_cells(self.python)}

    def __call__(self, *_args: object, **_kwargs: object) -> NoReturn:
        """Refuse: kernels are compiled ahead of time, and nothing here runs them on a device."""
        file = Path(self.python.__code__.co_filename).name
        arguments = " ".join(f"--arg {name}=..." for name in self.parameters)
        raise UserError(
            "E003",
            f"@pl.{self.decorator} function '{self.name}' is compiled before it runs, it cannot be called from Python",
            help=f"pypto-build compile {file} --entry {self.name} {arguments}",
        )
