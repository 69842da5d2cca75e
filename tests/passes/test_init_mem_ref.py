# SPDX-License-Identifier: Apache-2.0
"""InitMemRef: which buffer a tile gets before anything is shared on purpose."""

import pytest
from pypto_passes.init_mem_ref import InitMemRef, verify_has_mem_refs

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import MemorySpace, TensorType, TileType
from pypto_build.passes import ASCEND910B, ASCEND950, IRProperty, PassContext, apply_pass
from tests.passes.tile_places import after, function_of, kernel, references, sharing, sizes

INIT = (InitMemRef(),)


def initialized(body, hardware=ASCEND910B, planner="pypto"):
    return after(INIT, kernel(body), hardware, planner)


def test_every_tile_gets_an_allocation_of_its_size():
    made = initialized("a: Vec16 = LOAD\nb: Vec16 = pl.tile.exp(a)\nSTORE(b)")
    assert (sharing(made), sizes(made)) == ("a / b", [1024, 1024])


def test_tensors_are_in_global_memory_and_have_no_allocation():
    made = function_of(initialized("a: Vec16 = LOAD\nSTORE(a)"))
    assert all(isinstance(p.type, TensorType) and p.type.memref for p in made.params if p.name_hint != "c")


def test_a_store_is_its_destination():
    made = function_of(initialized("a: Vec16 = LOAD\nSTORE(a)"))
    store = made.body.stmts[-2].var
    assert store.type.memref.base is made.params[2].type.memref.base


def test_an_alias_and_a_reshape_are_their_source():
    made = initialized("""
        a: Vec16 = LOAD
        b: Vec16 = a
        d: pl.Tile[[1, 256], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(b, [1, 256])
        return out
    """)
    assert sharing(made) == "a b d"


def test_a_slice_starts_at_its_byte_and_has_its_own_size():
    made = initialized("""
        a: Vec16 = LOAD
        b: pl.Tile[[4, 16], pl.FP32, pl.Mem.Vec] = pl.tile.slice(a, [4, 16], [8, 0])
        return out
    """)
    assert (sharing(made), references(made)["b"].size) == ("a b@512", 256)


def test_slices_of_slices_add_up_with_the_strides_of_the_whole():
    made = initialized("""
        a: Vec16 = LOAD
        b: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(a, [8, 8], [8, 8])
        d: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(b, [4, 8], [1, 0])
        return out
    """)
    assert sharing(made) == "a b@544 d@608"


def test_a_slice_of_an_alias_of_a_slice_knows_the_whole_too():
    made = initialized("""
        a: Vec16 = LOAD
        b: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(a, [8, 8], [0, 8])
        d: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = b
        e: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(d, [4, 8], [1, 0])
        return out
    """)
    assert sharing(made) == "a b@32 d@32 e@96"


def test_an_accumulator_is_its_first_operand():
    made = initialized("""
        ma: Mat16 = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
        l: pl.Tile[[16, 16], pl.FP32, pl.Mem.Left] = pl.tile.move(ma, target_memory=pl.Mem.Left)
        q: Right16 = pl.tile.move(ma, target_memory=pl.Mem.Right)
        a: Acc16 = pl.tile.matmul(l, q)
        b: Acc16 = pl.tile.matmul_acc(a, l, q)
        STORE(b)
    """)
    assert sharing(made) == "ma / l / q / a b"


def test_a_carry_starts_in_its_initial_value_and_the_result_is_what_is_yielded():
    made = initialized("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b: Vec16 = pl.tile.exp(acc)
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert sharing(made) == "a acc / y b"


def test_a_merge_is_its_first_branch():
    made = initialized("""
        if c < 2:
            a: Vec16 = LOAD
            y: Vec16 = pl.yield_(a)
        else:
            b: Vec16 = LOAD
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert sharing(made) == "y a / b"


def test_a_tile_from_the_other_core_stays_in_the_pipe():
    body = "a: Vec16 = pl.tile.tpop_from_aic(split=1)\nb: Vec16 = pl.tile.exp(a)\nSTORE(b)"
    made = after(INIT, kernel(body, "pl.FunctionType.AIV"))
    assert references(made)["a"] is None
    assert list(verify_has_mem_refs(made, PassContext())) == []


@pytest.mark.parametrize(("hardware", "size"), [(ASCEND910B, 2048), (ASCEND950, 1024)])
def test_an_int32_accumulator_has_32_rows_on_one_chip(hardware, size):
    params = "x: pl.Tensor[[16, 32], pl.INT8], y: pl.Tensor[[32, 16], pl.INT8], out: pl.Tensor[[16, 16], pl.FP32]"
    body = """
        a: pl.Tile[[16, 32], pl.INT8, pl.Mem.Mat] = pl.tile.load(x, [0, 0], [16, 32], target_memory=pl.Mem.Mat)
        b: pl.Tile[[32, 16], pl.INT8, pl.Mem.Mat] = pl.tile.load(y, [0, 0], [32, 16], target_memory=pl.Mem.Mat)
        l: pl.Tile[[16, 32], pl.INT8, pl.Mem.Left] = pl.tile.move(a, target_memory=pl.Mem.Left)
        q: pl.Tile[[32, 16], pl.INT8, pl.Mem.Right] = pl.tile.move(b, target_memory=pl.Mem.Right)
        d: pl.Tile[[16, 16], pl.INT32, pl.Mem.Acc] = pl.tile.matmul(l, q)
        return out
    """
    assert sizes(after(INIT, kernel(body, params=params), hardware))[-1] == size


def test_every_result_of_an_operation_gets_a_buffer_and_the_tuple_none():
    """MO-21."""
    made = initialized("""
        a: Vec16 = LOAD
        t: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        i, n = pl.tile.gather_compare(a, 0.5, t, out_cols=8)
        return out
    """)
    assert sharing(made) == "a / t / i / n"


def test_a_result_that_nobody_takes_gets_a_buffer_too():
    """MO-42."""
    made = initialized("""
        a: Vec16 = LOAD
        t: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        both = pl.tile.gather_compare(a, 0.5, t, out_cols=8)
        i: pl.Tile[[16, 8], pl.INT32, pl.Mem.Vec] = both[0]
        return out
    """)
    assert sharing(made) == "a / t / both_1 / i"


DECLARED = """
    a: pl.Tile[[16, 16], pl.FP32, pl.MemRef("ping"), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 16])
    b: pl.Tile[[4, 8], pl.FP32, pl.MemRef("ping"), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [4, 8])
    STORE(b)
"""


def test_a_declared_allocation_is_as_large_as_its_largest_tile():
    made = initialized(DECLARED)
    assert (sharing(made), sizes(made)) == ("a b", [1024])
    assert "pinned=True" in str(made)


def test_a_view_cannot_be_bound():
    body = DECLARED.replace("pl.tile.load(x, [0, 0], [4, 8])", "pl.tile.slice(a, [4, 8], [0, 0])")
    with pytest.raises(UserError, match="it lands in its source tile's allocation") as error:
        initialized(body)
    assert (error.value.code, error.value.span.begin_line) == ("MEM002", 6)


def test_tiles_of_one_declaration_agree_on_the_memory_space():
    mat = "pl.Mem.Mat] = pl.tile.load(x, [0, 0], [4, 8], target_memory=pl.Mem.Mat)"
    with pytest.raises(UserError, match="'a' is in Vec, 'b' is in Mat") as error:
        initialized(DECLARED.replace("pl.Mem.Vec] = pl.tile.load(x, [0, 0], [4, 8])", mat))
    assert (error.value.code, error.value.span.begin_line) == ("MEM005", 6)


def test_the_planner_of_the_assembler_cannot_keep_a_declaration():
    with pytest.raises(UserError, match="cannot keep it apart") as error:
        initialized(DECLARED, planner="ptoas")
    assert (error.value.code, error.value.span.begin_line) == ("MEM004", 5)


def test_a_tile_of_dynamic_extent_is_refused():
    params = "x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Tensor[[16, 16], pl.FP32]"
    body = "a: pl.Tile[[n, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [n, 16])\nreturn out"
    with pytest.raises(InternalError, match="static shape"):
        after(INIT, kernel(body, params=params))


def test_the_property_names_a_tile_without_reference():
    (found,) = verify_has_mem_refs(kernel("a: Vec16 = LOAD\nSTORE(a)"), PassContext())
    assert found.rule == IRProperty.HasMemRefs.name
    assert found.message == "tile 'a' in function 'main' has no memory reference"


def test_an_initialized_kernel_stays_the_same_object():
    made = initialized("a: Vec16 = LOAD\nSTORE(a)")
    assert apply_pass(InitMemRef(), made) is made


def test_a_tile_parameter_without_space_is_in_global_memory():
    params = "t: pl.Tile[[16, 16], pl.FP32], out: pl.Tensor[[16, 16], pl.FP32]"
    kind = function_of(after(INIT, kernel("return out", params=params))).params[0].type
    assert isinstance(kind, TileType)
    assert kind.memory_space is MemorySpace.DDR


@pytest.mark.parametrize(("space", "places"), [("Mat", "t m / s"), ("Vec", "t / s / m")])
def test_what_is_assembled_lives_in_its_target_where_nothing_can_be_copied(space: str, places: str):
    tile = f"pl.Tile[[16, 16], pl.FP32, pl.Mem.{space}]"
    load = f"pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.{space})"
    made = initialized(
        f"t: {tile} = {load}\ns: {tile} = {load}\nm: {tile} = pl.tile.assemble(t, s, [0, 0])\nreturn out"
    )
    assert sharing(made) == places
