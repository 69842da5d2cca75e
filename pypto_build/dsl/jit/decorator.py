# SPDX-License-Identifier: Apache-2.0
"""`@pl.jit` and its variants `.incore`, `.inline`, `.opaque` and `.host`: they keep the function, unread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Final, NoReturn

from pypto_build.dsl.decorated import decorated_function
from pypto_build.dsl.jit.function import JITFunction
from pypto_build.dsl.surroundings import caller
from pypto_build.errors import UserError
from pypto_build.ir import FunctionType as Kind
from pypto_build.ir import Level, Role

Function = Callable[..., object]
Decorated = JITFunction | Callable[[Function], JITFunction]


class Jit:
    """`pl.jit` and its variants, each with or without parentheses.

    With `auto_scope=False` the body places the lifetime scopes of the runtime itself.
    """

    def __call__(self, func: Function | None = None, *, auto_scope: bool = True) -> Decorated:
        """An entry: it hands work to the cores of one device."""
        made = partial(JITFunction, decorator="jit", func_type=Kind.Orchestration, auto_scope=auto_scope)
        return _decorated(func, caller(), made)

    def incore(self, func: Function | None = None, *, level: Level | None = None) -> Decorated:
        """A kernel that runs on the cores; `level` says on which."""
        made = partial(JITFunction, decorator="jit.incore", func_type=Kind.InCore, level=level)
        return _decorated(func, caller(), made)

    def inline(self, func: Function | None = None, *, auto_scope: bool = True) -> Decorated:
        """A function whose statements take the place of each call of it."""
        made = partial(JITFunction, decorator="jit.inline", func_type=Kind.Inline, auto_scope=auto_scope)
        return _decorated(func, caller(), made)

    def opaque(self, func: Function | None = None) -> Decorated:
        """A function of its own that may hold loops and scopes."""
        return _decorated(func, caller(), partial(JITFunction, decorator="jit.opaque", func_type=Kind.Opaque))

    def host(self, func: Function | None = None, *, auto_scope: bool = True) -> Decorated:
        """An entry that runs on the host and hands work to several devices."""
        made = partial(JITFunction, decorator="jit.host", func_type=Kind.Opaque, auto_scope=auto_scope)
        return _decorated(func, caller(), partial(made, level=Level.HOST, role=Role.Orchestrator))

    def extern(self, *_args: object, **_kwargs: object) -> NoReturn:
        """Refuse: no target builds the C++ source of a kernel."""
        raise UserError(
            "E003",
            "@pl.jit.extern is not supported: C++ kernels are not part of an object",
            help="Write the kernel with @pl.jit.incore",
        )

    def __repr__(self) -> str:
        return "pl.jit"


def _decorated(func: Function | None, frame: FrameType, made: partial[JITFunction]) -> Decorated:
    names = {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)  # those of a module are looked up late

    def decorate(python: Function) -> JITFunction:
        checked = decorated_function(python, frame, decorator=made.keywords["decorator"])
        return made(decorated=checked, names=names)

    return decorate if func is None else decorate(func)


jit: Final = Jit()
