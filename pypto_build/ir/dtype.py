# SPDX-License-Identifier: Apache-2.0
"""Element types: their codes, widths and names.

Source: the public data type table (code, bits, spelling); FP4 and HF types exist for code generation only.
"""

from __future__ import annotations

from typing import ClassVar, Final

_TABLE: Final = (
    # attribute, code, bits, kind, C type, printed name
    ("BOOL", 0x00, 1, "bool", "bool", "bool"),
    ("INT4", 0x10, 4, "int", "int4_t", "int4"),
    ("INT8", 0x11, 8, "int", "int8_t", "int8"),
    ("INT16", 0x12, 16, "int", "int16_t", "int16"),
    ("INT32", 0x13, 32, "int", "int32_t", "int32"),
    ("INT64", 0x14, 64, "int", "int64_t", "int64"),
    ("INDEX", 0x15, 64, "int", "int64_t", "index"),
    ("UINT4", 0x20, 4, "uint", "uint4_t", "uint4"),
    ("UINT8", 0x21, 8, "uint", "uint8_t", "uint8"),
    ("UINT16", 0x22, 16, "uint", "uint16_t", "uint16"),
    ("UINT32", 0x23, 32, "uint", "uint32_t", "uint32"),
    ("UINT64", 0x24, 64, "uint", "uint64_t", "uint64"),
    ("FP4", 0x30, 4, "float", "float4_e2m1x2_t", "fp4"),
    ("FP8E4M3FN", 0x31, 8, "float", "float8_e4m3_t", "fp8e4m3fn"),
    ("FP8E5M2", 0x32, 8, "float", "float8_e5m2_t", "fp8e5m2"),
    ("FP16", 0x33, 16, "float", "half", "fp16"),
    ("FP32", 0x34, 32, "float", "float", "fp32"),
    ("FP8E8M0", 0x36, 8, "float", "float8_e8m0_t", "fp8e8m0"),
    ("BF16", 0x40, 16, "float", "bfloat16", "bfloat16"),
    ("HF4", 0x41, 4, "float", "hifloat4_t", "hf4"),
    ("HF8", 0x42, 8, "float", "hifloat8_t", "hf8"),
    ("TASK_ID", 0x50, 64, "task", "PTO2TaskId", "task_id"),
)


class DataType:
    """One element type; interned, so `is` and `==` agree."""

    __slots__ = ("_bits", "_c_type", "_code", "_kind", "_name", "attribute")

    BOOL: ClassVar[DataType]
    INT4: ClassVar[DataType]
    INT8: ClassVar[DataType]
    INT16: ClassVar[DataType]
    INT32: ClassVar[DataType]
    INT64: ClassVar[DataType]
    INDEX: ClassVar[DataType]
    UINT4: ClassVar[DataType]
    UINT8: ClassVar[DataType]
    UINT16: ClassVar[DataType]
    UINT32: ClassVar[DataType]
    UINT64: ClassVar[DataType]
    FP4: ClassVar[DataType]
    FP8E4M3FN: ClassVar[DataType]
    FP8E5M2: ClassVar[DataType]
    FP8E8M0: ClassVar[DataType]
    FP16: ClassVar[DataType]
    FP32: ClassVar[DataType]
    BF16: ClassVar[DataType]
    HF4: ClassVar[DataType]
    HF8: ClassVar[DataType]
    TASK_ID: ClassVar[DataType]
    DEFAULT_CONST_INT: ClassVar[DataType]
    DEFAULT_CONST_FLOAT: ClassVar[DataType]

    def __init__(self, row: tuple[str, int, int, str, str, str]) -> None:
        self.attribute, self._code, self._bits, self._kind, self._c_type, self._name = row

    def code(self) -> int:
        """The number that stands for this type in serialized forms."""
        return self._code

    def get_bit(self) -> int:
        """Width of one element in bits."""
        return self._bits

    def get_byte(self) -> int:
        """Width of one element in bytes, rounded up (4-bit types: 1)."""
        return (self._bits + 7) // 8

    def is_float(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self._kind == "float"

    def is_int(self) -> bool:
        """Whether elements are integers, signed or not (BOOL and TASK_ID are not)."""
        return self._kind in ("int", "uint")

    def is_signed_int(self) -> bool:
        """Whether elements are signed integers (INDEX included)."""
        return self._kind == "int"

    def is_unsigned_int(self) -> bool:
        """Whether elements are unsigned integers."""
        return self._kind == "uint"

    def to_c_type_string(self) -> str:
        """The C++ spelling used by orchestration code."""
        return self._c_type

    def to_string(self) -> str:
        """The lower-case name, such as `fp32` or `bfloat16`."""
        return self._name

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"DataType.{self.attribute}"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (dtype_by_attribute, (self.attribute,))


DATA_TYPES: Final[tuple[DataType, ...]] = tuple(DataType(row) for row in _TABLE)
for _dtype in DATA_TYPES:
    setattr(DataType, _dtype.attribute, _dtype)
DataType.DEFAULT_CONST_INT = DataType.INDEX
DataType.DEFAULT_CONST_FLOAT = DataType.FP32

_BY_ATTRIBUTE: Final = {d.attribute: d for d in DATA_TYPES}
_BY_NAME: Final = {d.to_string(): d for d in DATA_TYPES}


def dtype_by_attribute(attribute: str) -> DataType:
    """The type spelled `pl.<attribute>`; KeyError for an unknown one."""
    return _BY_ATTRIBUTE[attribute]


def dtype_by_name(name: str) -> DataType:
    """The type with this lower-case name; KeyError for an unknown one."""
    return _BY_NAME[name]
