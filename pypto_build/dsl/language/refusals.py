# SPDX-License-Identifier: Apache-2.0
"""`pl.jit`: kernels made for the arguments of one call. Here programs are compiled before they run, so it refuses."""

from __future__ import annotations

from typing import Final, NoReturn

from pypto_build.errors import UserError


class JITFunction:
    """What `pl.jit` makes where it is supported, for `isinstance`; there are none here."""


class Refusing:
    """A decorator of the language that this project does not have; `parts` are its variants."""

    def __init__(self, name: str, parts: tuple[str, ...] = ()) -> None:
        self.__name__ = name
        self.__qualname__ = f"pl.{name}"
        for part in parts:
            setattr(self, part, Refusing(f"{name}.{part}"))

    def __call__(self, *_args: object, **_kwargs: object) -> NoReturn:
        """Refuse, and say what to write instead."""
        raise UserError(
            "E003",
            f"@{self.__qualname__} is not supported: programs are compiled before their arguments are known",
            help="Write a @pl.program class, with pl.dynamic() for what changes from call to call",
        )

    def __repr__(self) -> str:
        return self.__qualname__


jit: Final = Refusing("jit", ("extern", "host", "incore", "inline", "opaque"))
