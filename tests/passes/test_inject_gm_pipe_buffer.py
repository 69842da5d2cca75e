# SPDX-License-Identifier: Apache-2.0
"""InjectGMPipeBuffer: workspaces of pipes, from the orchestration through groups to the kernels."""

from __future__ import annotations

from pypto_passes.inject_gm_pipe_buffer import InjectGMPipeBuffer

from pypto_build.ir import ArgDirection, Call, Program, Rewriter, Submit, collect, frozen_map, rebuilt
from pypto_build.passes import ASCEND950, PassContext, apply_pass
from tests.passes import programs

KERNELS = """
@pl.function(type=pl.FunctionType.AIC)
def cube(self{params}):
    ring = pl.system.reserve_buffer(name="ring", size=1024)
    pl.system.aic_initialize_pipe(0, ring, dir_mask=2, slot_size=512, slot_num=2)

@pl.function(type=pl.FunctionType.AIV)
def vector(self{params}):
    ring = pl.system.import_peer_buffer(name="ring", peer_func="cube")
    pl.system.aiv_initialize_pipe(0, ring, dir_mask=2, slot_size=512, slot_num=2)

@pl.function(type=pl.FunctionType.Group)
def both(self{params}):
    self.cube({args})
    self.vector({args})

@pl.function(type=pl.FunctionType.AIV)
def plain(self):
    pl.system.bar_all()
"""
CALLS = """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self):
    self.plain()
    {first}
    self.both({args})
    for i in pl.range(4):
        {second}
        self.both({more})
"""
CREATE = "gm_pipe_buffer_{} = pl.tensor.create([1], dtype=pl.FP32, manual_dep=True)"
PARAM = ", __gm_pipe_buffer: pl.Out[pl.Tensor[[1], pl.FP32]]"


def before(main: str = "") -> Program:
    """A program without workspaces."""
    calls = main or CALLS.format(first="pl.system.fence()", args="", second="pl.system.fence()", more="")
    return programs.program(KERNELS.format(params="", args="") + calls)


def after() -> Program:
    """The same one with them."""
    names = ["gm_pipe_buffer_0", "gm_pipe_buffer_1"]
    creates = [f"pl.system.fence()\n    {CREATE.format(0)}", f"pl.system.fence()\n        {CREATE.format(1)}"]
    calls = CALLS.format(first=creates[0], args=names[0], second=creates[1], more=names[1])
    return programs.program(KERNELS.format(params=PARAM, args="__gm_pipe_buffer") + calls)


def test_each_launch_gets_a_workspace_which_groups_hand_on_to_their_kernels():
    made = programs.assert_becomes(InjectGMPipeBuffer(), before(), after())
    programs.assert_unchanged(InjectGMPipeBuffer(), made)


def test_a_launch_with_a_task_id_gets_one_too():
    main = """
@pl.function(type=pl.FunctionType.Orchestration)
def main(self):
    with pl.manual_scope():
        tid = pl.submit(self.both)
"""
    made = programs.method(apply_pass(InjectGMPipeBuffer(), before(main)), "main")
    (submit,) = collect(made, Submit)
    assert [arg.name_hint for arg in submit.args] == ["gm_pipe_buffer_0"]


def test_directions_that_are_stated_already_name_the_workspace_as_an_output():
    class Stating(Rewriter):
        def visit_call(self, call: Call) -> Call:
            return rebuilt(call, {"attrs": frozen_map({"arg_directions": ()})}) if call.op.name == "both" else call

    made = programs.method(apply_pass(InjectGMPipeBuffer(), Stating().visit(before())), "main")
    launches = [call for call in collect(made, Call) if call.op.name == "both"]
    assert [call.attrs["arg_directions"] for call in launches] == [(ArgDirection.OutputExisting,)] * 2


def test_a_chip_whose_cores_are_connected_needs_no_workspace():
    programs.assert_unchanged(InjectGMPipeBuffer(), before(), PassContext(ASCEND950))


def test_a_program_without_pipes_stays_as_it_is():
    text = "@pl.function(type=pl.FunctionType.AIV)\ndef plain(self):\n    pl.system.bar_all()"
    programs.assert_unchanged(InjectGMPipeBuffer(), programs.program(text))
