# SPDX-License-Identifier: Apache-2.0
"""`PassManager`: the shipped pipeline as public passes, and dumps of the program between them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, Final

from pypto_build.compat.pass_context import PassContext
from pypto_build.compat.pass_instruments import CallbackInstrument
from pypto_build.compat.pass_objects import Pass, PassPipeline
from pypto_build.compat.pass_settings import MemoryPlanner
from pypto_build.ir import Program

_DEPENDENCIES: Final = "auto_derive_task_dependencies"
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
    _DEPENDENCIES,
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
    """How a program is written between passes."""

    NONE = 0
    CONCISE = 1
    EXPLICIT = 2


def _planner() -> MemoryPlanner:
    current = PassContext.current()
    return current.get_memory_planner() if current is not None else MemoryPlanner.PYPTO


class PassManager:
    """The passes of a strategy, in order; passes that no plugin provides are left out."""

    def __init__(
        self,
        strategy: OptimizationStrategy = OptimizationStrategy.Default,
        analyze_auto_scopes_for_deps: bool = False,
    ) -> None:
        if not isinstance(strategy, OptimizationStrategy):  # type: ignore[unnecessary-isinstance]  # users' input
            raise ValueError(f"Unsupported optimization strategy: {strategy!r}")
        self.strategy = strategy
        self._memory_planner = _planner()
        self._pipeline = PassPipeline()
        factories: Any = importlib.import_module("pypto.pypto_core.passes")
        for name in _ORDER:
            make: Callable[..., Pass] | None = getattr(factories, name, None)
            if make is None or name in _DROPPED[self._memory_planner]:
                continue
            options = {"analyze_auto_scopes": analyze_auto_scopes_for_deps} if name == _DEPENDENCIES else {}
            self._pipeline.add_pass(make(**options))

    @classmethod
    def get_strategy(
        cls,
        strategy: OptimizationStrategy = OptimizationStrategy.Default,
        analyze_auto_scopes_for_deps: bool = False,
    ) -> PassManager:
        """The manager of a strategy."""
        return cls(strategy, analyze_auto_scopes_for_deps)

    @property
    def passes(self) -> list[Pass]:
        """The passes."""
        return self._pipeline.get_passes()

    @property
    def pass_names(self) -> list[str]:
        """The names of the passes."""
        return self._pipeline.get_pass_names()

    def get_pass_names(self) -> list[str]:
        """The names of the passes."""
        return self.pass_names

    def run_passes(
        self,
        program: Program,
        dump_ir: bool | PassDumpLevel = False,
        output_dir: str | None = None,
        prefix: str = "pl",
    ) -> Program:
        """The program after all passes, each state written to a directory if asked for."""
        self._check_planner_consistency()
        level = dump_ir if isinstance(dump_ir, PassDumpLevel) else PassDumpLevel(int(dump_ir))
        if level is PassDumpLevel.NONE:
            return self._pipeline.run(program)
        if output_dir is None:
            raise ValueError("output_dir is required when dump_ir is set")
        dump = _Dump(Path(output_dir), prefix, explicit=level is PassDumpLevel.EXPLICIT)
        dump.write("00_frontend", program)
        with _with_instrument(CallbackInstrument(after_pass=dump.after_pass, name="IRDump")):
            return self._pipeline.run(program)

    def _check_planner_consistency(self) -> None:
        if _planner() is not self._memory_planner:
            raise RuntimeError(
                f"this PassManager was made for memory_planner={self._memory_planner.name}, "
                f"but runs under memory_planner={_planner().name}: make it in the context that it runs in"
            )


class _Dump:
    """Writes the program after every pass."""

    def __init__(self, directory: Path, prefix: str, *, explicit: bool) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._prefix = prefix
        self._explicit = explicit
        self._number = 0

    def after_pass(self, pass_: Pass, program: Program) -> None:
        self._number += 1
        self.write(f"{self._number:02d}_after_{pass_.get_name()}", program)

    def write(self, name: str, program: Program) -> None:
        from pypto_build.compat.printing import python_print  # the printer is loaded when it is needed

        text = python_print(program, self._prefix, explicit_layout=self._explicit)
        (self._directory / f"{name}.py").write_text(text)


def _with_instrument(instrument: CallbackInstrument) -> PassContext:
    """The context in force with one more instrument."""
    current = PassContext.current()
    if current is None:
        return PassContext([instrument])
    return PassContext(
        [*current.get_instruments(), instrument],
        current.get_verification_level(),
        current.get_diagnostic_phase(),
        current.get_disabled_diagnostics(),
        current.get_memory_planner(),
        current.get_enable_pypto_l0c_double_buffer(),
        current.get_runtime(),
    )
