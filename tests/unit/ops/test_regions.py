# SPDX-License-Identifier: Apache-2.0
"""Valid regions through reads of windows, writes into destinations, and reshapes."""

import pytest

from pypto_build.ir import DataType, Min, Var, as_int, dims, scalar_type
from pypto_build.ops import Operands
from pypto_build.ops.regions import RegionWrite, WindowRead, read_region, written_region
from pypto_build.ops.reshaping import reshaped_region

OP = Operands("tile.op", ())
N = Var("n", scalar_type(DataType.INDEX))


def numbers(region: tuple[object, ...]) -> list[int | None]:
    return [as_int(extent) for extent in region]


def read(shape, valid, window, offsets, **more):
    if more.get("requested") is not None:
        more["requested"] = dims(more["requested"])
    return read_region(OP, WindowRead(dims(shape), dims(valid), dims(window), dims(offsets), **more))


def written(shape, valid, source, offsets, **more):
    return written_region(OP, RegionWrite(dims(shape), dims(valid), dims(source), dims(offsets), **more))


def reshaped(shape, valid, target, *, row_major=True):
    return reshaped_region(OP, dims(shape), dims(valid), target=dims(target), row_major=row_major)


@pytest.mark.parametrize(
    ("valid", "window", "offsets", "requested", "found"),
    [
        ([64, 64], [16, 32], [8, 0], None, [16, 32]),
        ([40, 50], [32, 32], [24, 32], None, [16, 18]),
        ([16, 64], [16, 64], [32, 0], None, [0, 64]),
        ([20, 64], [32, 32], [0, 0], [32, 32], [20, 32]),
        ([20, 64], [32, 32], [0, 0], [8, 4], [8, 4]),
    ],
    ids=["inside", "edge", "behind the data", "asking for more", "asking for less"],
)
def test_a_window_is_valid_where_it_is_asked_for_and_the_source_has_data(valid, window, offsets, requested, found):
    assert numbers(read([64, 64], valid, window, offsets, requested=requested)) == found


def test_a_window_that_reaches_beyond_the_source_is_refused():
    with pytest.raises(ValueError, match="reads past the end of dimension 0: offset 48 \\+ extent 32 > 64"):
        read([64, 64], [64, 64], [32, 64], [48, 0])


def test_a_clamped_window_is_cut_at_the_edge_of_the_source():
    assert numbers(read([100, 128], [100, 128], [64, 128], [64, 0], clamp=True)) == [36, 128]


def test_a_large_window_is_fine_where_little_is_read():
    assert numbers(read([96, 64], [96, 64], [64, 64], [64, 0], requested=[32, 64])) == [32, 64]


def test_a_large_window_is_refused_where_all_of_it_must_fit():
    with pytest.raises(ValueError, match="reads past the end"):
        read([96, 64], [96, 64], [64, 64], [64, 0], requested=[32, 64], whole_window=True)


def test_a_window_before_the_source_is_refused():
    with pytest.raises(ValueError, match="provably negative in dimension 1"):
        read([64, 64], [64, 64], [8, 8], [0, -8])


def test_more_valid_elements_than_the_window_holds_are_refused():
    with pytest.raises(ValueError, match="exceeds the window extent 64"):
        read([256, 128], [256, 128], [64, 128], [0, 0], requested=[128, 128])


def test_a_valid_shape_of_another_rank_is_refused():
    with pytest.raises(ValueError, match="same rank as the window"):
        read([64, 64], [64, 64], [16, 64], [0, 0], requested=[16])


def test_an_offset_at_run_time_is_taken_on_trust_in_a_full_source():
    assert numbers(read([64, 64], [64, 64], [16, 64], [N, 0])) == [16, 64]


def test_an_offset_at_run_time_guards_a_partly_valid_source():
    assert isinstance(read([64, 64], [40, 64], [16, 64], [N, 0])[0], Min)


def test_a_request_stands_where_the_source_names_a_symbol():
    wanted = Var("valid_len", scalar_type(DataType.INDEX))
    assert read([16, 128], [16, N], [16, 128], [0, 0], requested=[16, wanted])[1] is wanted


@pytest.mark.parametrize("requested", [None, [16, 64]], ids=["the whole window", "as much as the window holds"])
def test_an_exact_read_is_cut_by_a_symbol_of_the_source(requested):
    cut = read([16, N], [16, N], [16, 64], [0, 0], requested=requested, exact=True)[1]
    assert isinstance(cut, Min)
    assert cut.left is N
    assert as_int(cut.right) == 64
    assert as_int(read([16, N], [16, N], [16, 64], [0, 0], requested=requested)[1]) == 64


def test_an_exact_read_takes_the_smaller_of_a_request_and_a_symbol():
    wanted = Var("valid_len", scalar_type(DataType.INDEX))
    cut = read([16, 128], [16, N], [16, 128], [0, 0], requested=[16, wanted], exact=True)[1]
    assert isinstance(cut, Min)
    assert cut.left is wanted


def test_a_window_of_another_rank_keeps_what_was_asked_for():
    assert numbers(read([4, 128, 64], [4, 128, 64], [16, 64], [0, 0], requested=[16, 64])) == [16, 64]


@pytest.mark.parametrize(
    ("valid", "source", "offsets", "found"),
    [
        ([64, 128], [12, 128], [8, 0], [64, 128]),
        ([20, 128], [12, 128], [20, 0], [32, 128]),
        ([20, 128], [0, 128], [20, 0], [20, 128]),
        ([0, 128], [12, 128], [0, 0], [12, 128]),
        ([40, 128], [8, 128], [0, 0], [40, 128]),
        ([4, 8], [32, 128], [0, 0], [32, 128]),
    ],
    ids=["full", "append", "empty source", "empty target", "inside", "swallowed"],
)
def test_a_write_makes_the_union_valid(valid, source, offsets, found):
    assert numbers(written([64, 128], valid, source, offsets)) == found


@pytest.mark.parametrize(
    ("valid", "source", "offsets", "message"),
    [
        ([20, 128], [12, 128], [24, 0], "leaves a gap in dimension 0"),
        ([20, 64], [12, 80], [20, 0], "dimensions 0 and 1 at once"),
        ([20, 128], [12, 64], [20, 0], "must provably equal the target valid extent"),
        ([20, 128], [12, 64], [20, 8], "must span dimension 1 from the origin"),
        ([0, 128], [12, 128], [8, 0], "does not start at the origin"),
        ([20, 128], [12, 128], [-4, 0], "provably negative"),
        ([20, 128], [12, 128], [60, 0], "writes past the end of dimension 0"),
    ],
)
def test_a_write_whose_union_is_no_box_is_refused(valid, source, offsets, message):
    with pytest.raises(ValueError, match=message):
        written([64, 256], valid, source, offsets)


def test_what_is_moved_must_fit_even_where_less_is_valid():
    with pytest.raises(ValueError, match=r"writes past the end of dimension 0: .* \(all of it\)"):
        written([64, 128], [64, 128], [8, 128], [56, 0], moved=dims([48, 128]), hint=" (all of it)")


def test_a_write_that_adds_nothing_yields_the_same_region():
    valid = dims([64, 128])
    write = RegionWrite(dims([64, 128]), valid, source_valid=dims([8, 8]), offsets=dims([0, 0]))
    assert written_region(OP, write) is valid


@pytest.mark.parametrize(
    ("shape", "valid", "target", "found"),
    [
        ([8, 16], [8, 16], [16, 8], [16, 8]),
        ([8, 16], [5, 16], [16, 8], [10, 8]),
        ([8, 16], [5, 16], [128], [80]),
        ([1, 8, 16], [1, 8, 5], [8, 16], [8, 5]),
        ([8, 16], [8, 5], [1, 8, 16], [1, 8, 5]),
        ([8, 16], [0, 16], [16, 8], [0, 0]),
    ],
    ids=["full", "rows", "flat", "unit axis dropped", "unit axis added", "empty"],
)
def test_a_region_reads_in_another_shape(shape, valid, target, found):
    assert numbers(reshaped(shape, valid, target)) == found


def test_rows_at_run_time_stay_rows_of_the_same_size():
    assert reshaped([8, 16], [N, 16], [8, 4, 4])[0] is N


@pytest.mark.parametrize(
    ("valid", "target", "message"),
    [
        ([8, 5], [16, 8], "real data is scattered across the buffer"),
        ([5, 16], [4, 32], "do not fill a whole number of rows"),
        ([N, 16], [32, 4], "has the matching row size"),
    ],
)
def test_a_region_that_is_no_box_in_the_other_shape_is_refused(valid, target, message):
    with pytest.raises(ValueError, match=message):
        reshaped([8, 16], valid, target)


def test_a_partly_valid_region_is_mapped_only_where_elements_lie_row_by_row():
    with pytest.raises(ValueError, match="not stored row-major"):
        reshaped([2, 3], [1, 3], [1, 6], row_major=False)


def test_a_write_from_the_origin_leaves_no_gap_however_little_was_valid():
    assert numbers(written([64], [N], [64], [0])) == [64]
