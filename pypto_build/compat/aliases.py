# SPDX-License-Identifier: Apache-2.0
"""Names of the public package that ours have under other names."""

from __future__ import annotations

import ast
import inspect
from typing import Any, Final

from pypto_build.dsl.language import adir
from pypto_build.ir import ArgDirection
from pypto_build.ops.build.normal import pad_value

PAD_VALUES: Final = {"normalize_pad_value": pad_value}

NAME_TO_DIRECTION: Final[dict[str, ArgDirection]] = {
    name: value for name, value in vars(adir).items() if isinstance(value, ArgDirection)
}
DIRECTION_TO_NAME: Final = {direction: name for name, direction in NAME_TO_DIRECTION.items()}


def get_class_source_lines(cls: type) -> tuple[list[str], int]:
    """The lines of a class, decorators included, and the number of the first."""
    return inspect.getsourcelines(cls)


def _indexed(cls: type) -> tuple[list[str], int] | None:
    return None if _records_first_line(cls) else inspect.getsourcelines(cls)


def _records_first_line(cls: type) -> bool:
    return "__firstlineno__" in vars(cls)


SOURCE_LOOKUP: Final[dict[str, Any]] = {
    "get_class_source_lines": get_class_source_lines,
    "_indexed_class_source_lines": _indexed,
    "_records_own_first_line": _records_first_line,
}


class ASTParser:
    """Questions about syntax trees that the public parser answers."""

    @staticmethod
    def reads_block_index(body: list[ast.stmt]) -> bool:
        """Whether a body asks for its block index, however it spells the operation."""
        calls = (node for stmt in body for node in ast.walk(stmt) if isinstance(node, ast.Call))
        names = (
            call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "") for call in calls
        )
        return "get_block_idx" in names

    _spmd_body_reads_block_idx = reads_block_index
