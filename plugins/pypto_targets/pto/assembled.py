# SPDX-License-Identifier: Apache-2.0
"""What the assembler made of a module, as part of a larger C++ source: functions of its own, without their headers.

The assembler hands the operands of MGATHER over as pointers; the instruction wants the tiles and tensors themselves, so
a pointer that serves nothing else gives way to what it was taken from.
"""

from __future__ import annotations

import re
from typing import Final

_HEADERS: Final = re.compile(r'^[ \t]*(?:#include "pto/pto-inst\.hpp"|using namespace pto;)[ \t]*\n', re.MULTILINE)
_SIGNATURE: Final = re.compile(r'(?:extern "C" )?(?:__global__ )?AICORE void')
_TENSOR: Final = re.compile(r"\bTensor\b")
_EVENTS: Final = re.compile(r"^.*\bset_ffts_base_addr\(.*\n", re.MULTILINE)  # the runtime sets it
_GATHER: Final = re.compile(r"MGATHER(?:<[^>]*>)?\(([^()]*)\);")
_POINTER: Final = re.compile(
    r"^[ \t]*(?:__ubuf__|__cbuf__|__gm__) \w+\* (\w+) = (?:(\w+)\.data\(\)|\(__gm__ \w+\*\) (\w+));\n", re.MULTILINE
)


def embedded(assembled: str) -> str:
    """The assembler's C++ without headers, its functions static."""
    text = _EVENTS.sub("", _HEADERS.sub("", assembled))
    parts = re.split(f"(?={_SIGNATURE.pattern})", text)
    whole = "".join(_with_operands(part) if "MGATHER" in part else part for part in parts)
    return _TENSOR.sub("ChipTensor", _SIGNATURE.sub("static __aicore__ void", whole))


def _with_operands(function: str) -> str:
    """A function whose gathers take tiles and tensors."""
    origins = {match[1]: match[2] or match[3] for match in _POINTER.finditer(function)}
    replaced: dict[str, str] = {}
    for gather in _GATHER.finditer(function):
        names = [name.strip() for name in gather[1].split(",")]
        pointers = [name for name in names if name in origins]
        if all(len(re.findall(rf"\b{name}\b", function)) == 2 for name in pointers):  # where it is made, and here
            replaced.update({name: origins[name] for name in pointers})
    kept = _POINTER.sub(lambda match: "" if match[1] in replaced else match[0], function)
    return _GATHER.sub(lambda gather: _renamed(gather, replaced), kept)


def _renamed(gather: re.Match[str], names: dict[str, str]) -> str:
    arguments = ", ".join(names.get(name.strip(), name.strip()) for name in gather[1].split(","))
    return gather[0].replace(f"({gather[1]})", f"({arguments})")
