# SPDX-License-Identifier: Apache-2.0
"""`PassManager`: the shipped pipeline as public passes."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Final

from pypto_build.compat.pass_context import PassContext
from pypto_build.compat.pass_objects import Pass, PassPipeline, factory
from pypto_build.compat.pass_settings import MemoryPlanner
from pypto_build.ir import Program

_ORDER: Final = (
    "inline_functions",
    "unroll_loops",
    "ctrl_flow_transform",
    "convert_to_ssa",
    "simplify",
    "normalize_stmt_structure",
    "flatten_call_expr",
    "outline_hierarchy_scopes",
    "outline_incore_scopes",
    "outline_cluster_scopes",
    "convert_tensor_to_tile_ops",
    "optimize_orch_tensors",
    "lower_composite_ops",
    "flatten_tile_nd_to_2d",
    "legalize_tile_cast",
    "auto_tile_matmul_l0",
    "canonicalize_tile_slice",
    "infer_tile_memory_space",
    "insert_mx_scale_addr",
    "resolve_backend_op_layouts",
    "lower_auto_vector_split",
    "expand_mixed_kernel",
    "inject_gm_pipe_buffer",
    "split_vector_kernel",
    "stamp_tfree_split",
    "normalize_return_order",
    "skew_cross_core_pipeline",
    "lower_pipeline_to_slots",
    "lower_pipeline_loops",
    "canonicalize_io_order",
    "materialize_tensor_strides",
    "init_mem_ref",
    "materialize_semantic_aliases",
    "memory_reuse",
    "allocate_memory_addr",
    "fold_no_op_reshape",
    "fuse_create_assemble_to_slice",
    "derive_call_directions",
    "auto_derive_task_dependencies",
    "expand_manual_phase_fence",
    "synthesize_allreduce_signals",
    "materialize_comm_domain_scopes",
    "lower_host_tensor_collectives",
    "materialize_dist_tensor_ctx",
    "simplify",
    "materialize_runtime_scopes",
    "classify_iter_arg_carry",
    "insert_comm_fence",
    "materialize_valid_shape_symbols",
)
_DROPPED: Final = {
    MemoryPlanner.PYPTO: (),
    MemoryPlanner.PTOAS: ("memory_reuse", "allocate_memory_addr"),
    MemoryPlanner.DSA_RP: ("memory_reuse",),
}


class OptimizationStrategy(Enum):
    """Which pipeline."""

    Default = "Default"


class PassDumpLevel(Enum):
    """How much of a run is written to disk."""

    NONE = 0
    DEFAULT = 1
    EXPLICIT = 2


class PassManager:
    """The passes of a strategy, in order; passes that no plugin provides are left out."""

    def __init__(self, strategy: OptimizationStrategy = OptimizationStrategy.Default) -> None:
        self.strategy = strategy
        current = PassContext.current()
        planner = current.get_memory_planner() if current is not None else MemoryPlanner.PYPTO
        names = [name for name in _ORDER if name not in _DROPPED[planner]]
        makers = [factory(name) for name in names]
        self.passes: list[Pass] = [maker() for maker in makers if maker is not None]
        self.pass_names = [one.get_name() for one in self.passes]

    @classmethod
    def get_strategy(cls, strategy: OptimizationStrategy = OptimizationStrategy.Default) -> PassManager:
        """The manager of a strategy."""
        return cls(strategy)

    def get_pass_names(self) -> list[str]:
        """The names of the passes."""
        return list(self.pass_names)

    def run_passes(
        self,
        program: Program,
        dump_ir: bool = False,
        output_dir: str | None = None,
        prefix: str = "pl",
    ) -> Program:
        """The program after all passes, each state written to a directory if asked for."""
        if not dump_ir:
            return PassPipeline(self.passes).run(program)
        if output_dir is None:
            raise ValueError("output_dir is required when dump_ir is set")
        directory = Path(output_dir)
        os.makedirs(directory, exist_ok=True)
        self._write(directory / "00_frontend.py", program, prefix)
        for number, one in enumerate(self.passes, 1):
            program = PassPipeline([one]).run(program)
            self._write(directory / f"{number:02d}_after_{one.get_name()}.py", program, prefix)
        return program

    def _write(self, path: Path, program: Program, prefix: str) -> None:
        from pypto_build.compat.printing import python_print

        path.write_text(python_print(program, prefix))
