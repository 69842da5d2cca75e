# SPDX-License-Identifier: Apache-2.0
"""`kernel.lower(a, b, n)`: the program of a `@pl.jit` function for sample arguments, after the standard passes.

A sample is anything with a `shape` and a `dtype` of a NumPy or torch name, a number, or `pl.RUNTIME`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from pypto_build.compat.pass_manager import OptimizationStrategy, PassManager
from pypto_build.dsl.jit import JITFunction
from pypto_build.dsl.jit.arguments import Argument, ConstantArgument, TensorArgument
from pypto_build.dsl.jit.entry import specialized
from pypto_build.dsl.language.kernel import RUNTIME
from pypto_build.ir import DataType, Program

_DTYPES: Final = {
    "bool": DataType.BOOL,
    "float32": DataType.FP32,
    "float16": DataType.FP16,
    "bfloat16": DataType.BF16,
    "float8_e4m3fn": DataType.FP8E4M3FN,
    "float8_e5m2": DataType.FP8E5M2,
    "float8_e8m0fnu": DataType.FP8E8M0,
    **{f"int{bits}": getattr(DataType, f"INT{bits}") for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": getattr(DataType, f"UINT{bits}") for bits in (8, 16, 32, 64)},
}


def patch(set_attribute: Callable[[type, str, object], None]) -> None:
    """Put the attributes on the class."""
    set_attribute(JITFunction, "lower", _lower)


def _lower(function: JITFunction, *samples: Any, config: Any = None, **named: Any) -> Program:
    """The program after the standard passes.

    Raises:
        TypeError: the samples do not fit the signature.
        UserError: the function cannot be read with them.
    """
    program = specialized(function, _arguments(function, samples, named))
    strategy = getattr(config, "strategy", None) or OptimizationStrategy.Default
    return PassManager.get_strategy(strategy).run_passes(program)


def _arguments(function: JITFunction, samples: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Argument]:
    signature = inspect.signature(function.python)
    bound = signature.bind(*samples, **named) if samples else signature.bind_partial(**named)
    return {name: _argument(name, sample) for name, sample in bound.arguments.items() if sample is not RUNTIME}


def _argument(name: str, sample: Any) -> Argument:
    if isinstance(sample, bool | int | float):
        return ConstantArgument(sample)
    dtype = _DTYPES.get(str(getattr(sample, "dtype", "")).rpartition(".")[2])
    if dtype is None:
        raise TypeError(f"'{name}' is neither a tensor of a known element type nor a number nor pl.RUNTIME: {sample!r}")
    return TensorArgument(dtype, tuple(int(extent) for extent in sample.shape))
