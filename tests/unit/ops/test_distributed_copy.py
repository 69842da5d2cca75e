# SPDX-License-Identifier: Apache-2.0
"""Loads, pushes and copies between this rank and the window of a peer."""

import pytest

from pypto_build.ir import (
    AtomicType,
)
from pypto_build.ops.build import distributed as pld
from pypto_build.ops.build import distributed_tensor as copies
from pypto_build.ops.build import distributed_tile as staged
from tests.unit.ops.parts import BF16, FP16, INT32, Acc, M, N, scalar, shown, tensor, tile, window

PEER = scalar(INT32, "peer")


def test_a_region_of_a_peer_is_loaded_into_a_tile():
    made = pld.remote_load(window(64, 32), PEER, [N, 0], [16, 32], [M, 32])
    assert shown(made) == "Tile[[16, 32], FP32, TileView(valid_shape=[m, 32])]"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: pld.remote_load(tensor(64, 32), PEER, [0, 0], [16, 32]), "must be a DistributedTensor"),
        (lambda: pld.remote_load(window(64, 32), PEER, [60, 0], [16, 32]), "remote_load"),
        (lambda: pld.remote_load(window(64, 32), PEER, [0, 0], [16]), "shape rank must match the tensor rank"),
        (lambda: pld.remote_load(window(64, 32), tensor(4), [0, 0], [16, 32]), "peer must be a scalar"),
        (
            lambda: pld.remote_load(window(64, 32), PEER, [0, 0], [16, 32], [-1, 32]),
            "valid_shape 0 is provably negative",
        ),
        (lambda: pld.remote_store(tile(16, 32), tensor(64, 32), PEER, [0, 0]), "must be a DistributedTensor"),
        (
            lambda: pld.remote_store(tile(16, 32), window(64, 32), PEER, [60, 0]),
            "push exceeds the peer's target region",
        ),
        (lambda: pld.remote_store(tile(16, 32, dtype=FP16), window(64, 32), PEER, [0, 0]), "src dtype must match"),
        (lambda: pld.remote_store(window(16, 32), window(64, 32), PEER, [0, 0]), r"pld\.tensor\.put copies"),
        (lambda: staged.remote_store(tensor(16, 32), window(64, 32), PEER, [0, 0]), r"pld\.tensor\.remote_store takes"),
        (lambda: copies.remote_store(tile(16, 32), window(64, 32), PEER, [0, 0]), r"pld\.tile\.remote_store takes"),
    ],
)
def test_a_region_that_no_peer_has_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_coordinates_are_a_list():
    with pytest.raises(TypeError, match="offsets must be a list with one element per dimension, got 0"):
        pld.remote_load(window(64), PEER, 0, [32])


def test_the_padding_behind_a_window_is_read_by_passes_only():
    padded = staged._remote_load_with_physical_tail_padding
    made = padded(window(1, 17, dtype=FP16), PEER, [0, 0], [1, 32], [1, 32])
    assert made.kwargs["allow_physical_tail_padding"] is True
    with pytest.raises(ValueError, match="remote_load"):
        staged.remote_load(window(1, 17, dtype=FP16), PEER, [0, 0], [1, 32])


@pytest.mark.parametrize(
    ("source", "name"),
    [(tile(16, 32, space=Acc), "pld.tile.remote_store"), (tensor(16, 32), "pld.tensor.remote_store")],
)
def test_what_is_pushed_selects_the_form(source, name):
    made = pld.remote_store(source, window(64, 32), PEER, [N, 0], atomic=AtomicType.Add)
    assert (made.op.name, made.kwargs["atomic"]) == (name, 1)
    assert not pld.remote_store(source, window(64, 32), PEER, [N, 0]).kwargs


def test_a_copy_says_what_is_not_the_default():
    ends = (window(16, 64), PEER, window(16, 64))
    assert dict(copies.put(*ends).kwargs) == {"atomic": 0}
    assert dict(copies.get(*ends).kwargs) == {}
    chunked = copies.get(*ends, chunk_rows=4, chunk_cols=32, pipeline=True)
    assert dict(chunked.kwargs) == {"chunk_rows": 4, "chunk_cols": 32, "pipeline": True}


def test_a_copy_of_a_region_has_three_more_operands():
    made = copies.put(window(16, 64), PEER, tensor(16, 64), [4, 0], [N, 0], [4, 64])
    assert len(made.args) == 6


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"chunk_rows": -1}, ValueError, "chunk_rows must be non-negative, got -1"),
        ({"chunk_rows": 1.5}, TypeError, "chunk_rows must be static"),
        ({"chunk_rows": 4, "pipeline": True}, ValueError, "requires both chunk_rows>0 and chunk_cols>0"),
        ({"shape": [4, 64]}, ValueError, "dst_offsets, src_offsets and shape must be given together"),
        (
            {"dst_offsets": [14, 0], "src_offsets": [0, 0], "shape": [4, 64]},
            ValueError,
            "dst subregion dimension 0 exceeds dst shape: 18 > 16",
        ),
        (
            {"dst_offsets": [0, 0], "src_offsets": [0, 0], "shape": [0, 64]},
            ValueError,
            "shape dimension 0 must be positive, but got 0",
        ),
    ],
)
def test_a_copy_that_cannot_be_made_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        copies.get(tensor(16, 64), PEER, window(16, 64), **options)


def test_what_is_copied_has_one_element_type_and_known_extents():
    with pytest.raises(ValueError, match="must have the same element type"):
        copies.put(window(16, 64), PEER, tensor(16, 64, dtype=FP16))
    with pytest.raises(ValueError, match="dynamic leading transfer dim needs a static chunk_rows"):
        copies.put(window(N, 64), PEER, tensor(N, 64))
    assert copies.put(window(N, 64), PEER, tensor(N, 64), chunk_rows=4).kwargs["chunk_rows"] == 4


def test_a_copy_goes_through_one_staging_tile_or_two_alike():
    ends, stage = (window(16, 64), PEER, window(16, 64)), tile(4, 64)
    assert len(staged.put(*ends, stage, tile(4, 64)).args) == 5
    assert dict(staged.put(*ends, stage).kwargs) == {"atomic": 0}
    assert len(staged.get(*ends, stage, None, [0, 0], [0, 0], [8, 64]).args) == 7
    with pytest.raises(ValueError, match="ping/pong staging tiles must have identical shape"):
        staged.put(*ends, stage, tile(2, 64))
    with pytest.raises(ValueError, match="stage dtype must match dst dtype"):
        staged.get(*ends, tile(4, 64, dtype=BF16))
    with pytest.raises(ValueError, match="stage must be a 2D VEC staging tile"):
        staged.get(*ends, tensor(4, 64))
