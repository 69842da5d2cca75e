# SPDX-License-Identifier: Apache-2.0
"""Element types, literals and words of the generated C++."""

from __future__ import annotations

import struct

from pypto_build.errors import Span, UserError
from pypto_build.ir import ArrayType, DataType, ScalarType, Type

_RUNTIME_NAMES = {
    DataType.FP32: "FLOAT32",
    DataType.FP16: "FLOAT16",
    DataType.BF16: "BFLOAT16",
    DataType.INT8: "INT8",
    DataType.INT16: "INT16",
    DataType.INT32: "INT32",
    DataType.INT64: "INT64",
    DataType.INDEX: "INT64",
    DataType.UINT8: "UINT8",
    DataType.UINT16: "UINT16",
    DataType.UINT32: "UINT32",
    DataType.UINT64: "UINT64",
    DataType.BOOL: "BOOL",
    DataType.FP8E4M3FN: "FP8E4M3FN",
    DataType.FP8E5M2: "FP8E5M2",
    DataType.FP8E8M0: "FP8E8M0",
    DataType.HF8: "HF8",
    DataType.FP4: "FP4E2M1",
}
_SCALARS = (
    *(DataType.BOOL, DataType.FP32, DataType.INDEX, DataType.TASK_ID),
    *(DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64),
    *(DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64),
)

_WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
    concept const const_cast constexpr continue decltype default delete do double dynamic_cast else enum explicit
    export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
    operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof
    static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typename union unsigned using virtual void volatile wchar_t while xor xor_eq std to_u64 from_u64 alloc_tensors
    orch_args get_tensor_data set_tensor_data always_assert int8_t int16_t int32_t int64_t uint8_t uint16_t
    uint32_t uint64_t size_t NULL ChipTensor ChipTaskArgs CoreTaskArgs CoreTaskPredicate DataType MixedKernels
    PredicateOp TaskOutputTensors TensorCreateInfo PTO2TaskId PTO2ScopeMode PTO2OrchestrationConfig PTO2_SCOPE
    INVALID_KERNEL_ID aicpu_orchestration_config aicpu_orchestration_entry floor_div floor_mod rt_submit_aic_task
    rt_submit_aiv_task rt_submit_task rt_submit_dummy_task rt_available_cluster_count rt_available_aiv_count
"""
RESERVED = frozenset(_WORDS.split())
"""Words that no variable may be called: the language's, and those of the runtime."""


def runtime_type(dtype: DataType, span: Span) -> str:
    """An element type of a tensor, as the runtime knows it."""
    name = _RUNTIME_NAMES.get(dtype)
    if name is None:
        raise UserError("ORCH001", f"the task runtime has no tensors of {dtype}", span)
    return f"DataType::{name}"


def scalar_type(dtype: DataType, span: Span) -> str:
    """The C++ type of a scalar."""
    if dtype not in _SCALARS:
        raise UserError(
            "ORCH002",
            f"an orchestration function cannot hold a scalar of {dtype}",
            span,
            help="compute with it in a kernel, or use FP32 here",
        )
    return dtype.to_c_type_string()


def element_type(kind: Type, span: Span) -> str:
    """The C++ type of a scalar, or of an element of an array."""
    if isinstance(kind, ScalarType | ArrayType):
        return scalar_type(kind.dtype, span)
    raise UserError("ORCH003", f"an orchestration function cannot hold a value of type {type(kind).__name__}", span)


def real(value: float) -> str:
    """A float literal: six decimals where they say it exactly, else as many digits as it takes."""
    short = f"{value:.6f}"
    if _single(float(short)) == _single(value):
        return f"{short}f"
    return f"{value!r}f" if "e" in repr(value) or "." in repr(value) else f"{value!r}.0f"


def _single(value: float) -> bytes:
    return struct.pack("<f", value)
