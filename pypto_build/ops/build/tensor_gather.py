# SPDX-License-Identifier: Apache-2.0
"""Builders of tensor operations that pick, place and sort elements; one name may stand for several forms."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, MemorySpace, as_int
from pypto_build.ops.build.normal import Indices, Number, call, comparison, elements_of, scalar_for, untyped_as
from pypto_build.ops.build.normal import indices as extents


def gather(
    input: Expr,
    dim: int | Expr | None = None,
    index: Expr | None = None,
    *,
    mask_pattern: int | None = None,
    output_dtype: DataType | None = None,
    kvalue: Number | None = None,
    cmp_mode: str | int | None = None,
    out_cols: int | None = None,
    offset: int = 0,
    count_dtype: DataType | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call | tuple[Expr, ...]:
    """Elements by index along dim, the columns that a mask marks, or the columns where a comparison holds.

    The comparison has two results: the columns, and how many there are per row.

    Raises:
        ValueError: none of the three forms, or several at once.
    """
    forms = (index is not None or dim is not None, mask_pattern is not None, kvalue is not None or cmp_mode is not None)
    if sum(forms) > 1:
        raise ValueError("tensor.gather: index, mask_pattern and kvalue are mutually exclusive")
    if mask_pattern is not None:
        kwargs = {"mask_pattern": mask_pattern, "output_dtype": output_dtype}
        return call("tensor.gather_mask", (input,), kwargs, span)
    if kvalue is not None:
        mode = comparison("eq" if cmp_mode is None else cmp_mode)
        if out_cols is None:
            raise ValueError("tensor.gather with kvalue requires out_cols")
        kwargs = {"cmp_mode": mode, "offset": offset, "out_cols": out_cols, "count_dtype": count_dtype}
        return elements_of(call("tensor.gather_compare", (input, scalar_for(input, kvalue, span)), kwargs, span))
    if index is None or dim is None:
        raise ValueError("tensor.gather requires dim and index, or mask_pattern, or kvalue")
    return call("tensor.gather", (input, index), {"dim": _constant(dim, "dim")}, span)


def gather_row(  # noqa: PLR0917  # the signature that programs call
    acc: Expr,
    src: Expr,
    dst_offset: Indices,
    src_offset: Indices,
    shapes: Indices,
    transpose: bool = False,
    *,
    valid_shape: Indices | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A window of the source copied into an on-chip accumulator; valid_shape says how much of it is copied."""
    windows = (dst_offset, src_offset, shapes, *(() if valid_shape is None else (valid_shape,)))
    given = (extents(values, span) for values in windows)
    return call("tensor.gather_row", (acc, src, *given), {"transpose": transpose}, span)


def paged_gather(  # noqa: PLR0917  # the signature that programs call
    src: Expr,
    indices: Expr,
    block_table: Expr,
    block_size: int,
    size: int,
    max_indices: int,
    *,
    space: MemorySpace = MemorySpace.Mat,
    col_off: int = 0,
    is_trans: bool = False,
    is_b_matrix: bool = False,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Rows that indices name, found through a page table, in an on-chip accumulator."""
    kwargs = {"block_size": block_size, "size": size, "col_off": col_off, "max_indices": max_indices}
    flags = {"is_trans": is_trans, "is_b_matrix": is_b_matrix, "space": space}
    return call("tensor.paged_gather", (src, indices, block_table), {**kwargs, **flags}, span)


def scatter(
    input: Expr,
    dim: int | Expr | None = None,
    index: Expr | None = None,
    src: Expr | None = None,
    *,
    mask_pattern: int | None = None,
    dst: Expr | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Elements of src put into the columns that an index names, or of input into those of dst that a mask marks.

    Raises:
        ValueError: neither of the two forms, or both at once.
    """
    indexed = dim is not None or index is not None or src is not None
    masked = mask_pattern is not None or dst is not None
    if indexed and masked:
        raise ValueError("tensor.scatter: the index form and the mask form are mutually exclusive")
    if mask_pattern is not None and dst is not None:
        return call("tensor.scatter_mask", (input, dst), {"mask_pattern": mask_pattern}, span)
    if dim is None or index is None or src is None:
        raise ValueError("tensor.scatter requires dim, index and src, or mask_pattern and dst")
    return call("tensor.scatter", (input, index, src), {"dim": _constant(dim, "dim")}, span)


def scatter_update(
    input: Expr,
    dim: int | Expr | None = None,
    index: Expr | None = None,
    src: Expr | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Rows of src put into the rows that an index names; dim may be left out: (input, index, src).

    Raises:
        TypeError: index or src is missing.
    """
    if isinstance(dim, Expr) and as_int(dim) is None:
        dim, index, src = None, dim, index if src is None else src
    if index is None or src is None:
        raise TypeError("tensor.scatter_update requires index and src")
    axis = -2 if dim is None else _constant(dim, "dim")
    return call("tensor.scatter_update", (input, index, src), {"dim": axis}, span)


def sort32(src: Expr, idx: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Groups of 32 elements sorted, with their indices."""
    return call("tensor.sort32", (src, idx), None, span)


def mrgsort(
    src0: Expr,
    src1: Expr | None = None,
    src2: Expr | None = None,
    src3: Expr | None = None,
    *,
    exhausted: bool = False,
    block_len: Number | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Sorted runs of block_len of one tensor merged, or two to four sorted tensors.

    Raises:
        ValueError: neither of the two forms, or both at once.
    """
    others = tuple(source for source in (src1, src2, src3) if source is not None)
    if block_len is not None and (others or exhausted):
        raise ValueError("tensor.mrgsort: block_len and further sources are mutually exclusive")
    if block_len is not None:
        length = untyped_as(block_len, DataType.INT32, span)
        return call("tensor.mrgsort_format1", (src0, length), None, span)
    if not others:
        raise ValueError("tensor.mrgsort requires block_len or further sources")
    return call("tensor.mrgsort_format2", (src0, *others), {"exhausted": exhausted}, span)


def _constant(value: int | Expr, what: str) -> int:
    constant = as_int(value) if isinstance(value, Expr) else value
    if constant is None:
        raise TypeError(f"{what} must be a compile-time int")
    return constant
