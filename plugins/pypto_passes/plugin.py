# SPDX-License-Identifier: Apache-2.0
"""The first-party passes and verifiers: one line each."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.host import hookimpl

PYPTO_BUILD_API = 1


@hookimpl
def pypto_register_passes() -> Mapping[str, str]:
    """Passes by YAML name."""
    return {
        "allocate_memory_addr": "pypto_passes.allocate_memory_addr:AllocateMemoryAddr",
        "auto_derive_task_dependencies": "pypto_passes.auto_derive_task_dependencies:AutoDeriveTaskDependencies",
        "canonicalize_io_order": "pypto_passes.canonicalize_io_order:CanonicalizeIOOrder",
        "canonicalize_tile_slice": "pypto_passes.canonicalize_tile_slice:CanonicalizeTileSlice",
        "classify_iter_arg_carry": "pypto_passes.classify_iter_arg_carry:ClassifyIterArgCarry",
        "convert_tensor_to_tile_ops": "pypto_passes.convert_tensor_to_tile_ops:ConvertTensorToTileOps",
        "convert_to_ssa": "pypto_passes.convert_to_ssa:ConvertToSSA",
        "ctrl_flow_transform": "pypto_passes.ctrl_flow_transform:CtrlFlowTransform",
        "derive_call_directions": "pypto_passes.derive_call_directions:DeriveCallDirections",
        "expand_manual_phase_fence": "pypto_passes.expand_manual_phase_fence:ExpandManualPhaseFence",
        "expand_mixed_kernel": "pypto_passes.expand_mixed_kernel:ExpandMixedKernel",
        "flatten_call_expr": "pypto_passes.flatten_call_expr:FlattenCallExpr",
        "flatten_tile_nd_to_2d": "pypto_passes.flatten_tile_nd_to_2d:FlattenTileNdTo2D",
        "fold_no_op_reshape": "pypto_passes.fold_no_op_reshape:FoldNoOpReshape",
        "fuse_create_assemble_to_slice": "pypto_passes.fuse_create_assemble_to_slice:FuseCreateAssembleToSlice",
        "infer_tile_memory_space": "pypto_passes.infer_tile_memory_space:InferTileMemorySpace",
        "init_mem_ref": "pypto_passes.init_mem_ref:InitMemRef",
        "inject_gm_pipe_buffer": "pypto_passes.inject_gm_pipe_buffer:InjectGMPipeBuffer",
        "inline_functions": "pypto_passes.inline_functions:InlineFunctions",
        "inline_graph_functions": "pypto_passes.inline_graph_functions:InlineGraphFunctions",
        "legalize_tile_cast": "pypto_passes.legalize_tile_cast:LegalizeTileCast",
        "insert_mx_scale_addr": "pypto_passes.insert_mx_scale_addr:InsertMxScaleAddr",
        "lower_composite_ops": "pypto_passes.lower_composite_ops:LowerCompositeOps",
        "lower_pipeline_loops": "pypto_passes.lower_pipeline_loops:LowerPipelineLoops",
        "materialize_dist_tensor_ctx": "pypto_passes.materialize_dist_tensor_ctx:MaterializeDistTensorCtx",
        "materialize_runtime_scopes": "pypto_passes.materialize_runtime_scopes:MaterializeRuntimeScopes",
        "materialize_semantic_aliases": "pypto_passes.materialize_semantic_aliases:MaterializeSemanticAliases",
        "materialize_tensor_strides": "pypto_passes.materialize_tensor_strides:MaterializeTensorStrides",
        "materialize_valid_shape_symbols": (
            "pypto_passes.materialize_valid_shape_symbols:MaterializeValidShapeSymbols"
        ),
        "memory_reuse": "pypto_passes.memory_reuse:MemoryReuse",
        "normalize_return_order": "pypto_passes.normalize_return_order:NormalizeReturnOrder",
        "normalize_stmt_structure": "pypto_passes.normalize_stmt_structure:NormalizeStmtStructure",
        "optimize_orch_tensors": "pypto_passes.optimize_orch_tensors:OptimizeOrchTensors",
        "outline_cluster_scopes": "pypto_passes.outline_cluster_scopes:OutlineClusterScopes",
        "outline_hierarchy_scopes": "pypto_passes.outline_hierarchy_scopes:OutlineHierarchyScopes",
        "outline_incore_scopes": "pypto_passes.outline_incore_scopes:OutlineIncoreScopes",
        "resolve_backend_op_layouts": "pypto_passes.resolve_backend_op_layouts:ResolveBackendOpLayouts",
        "simplify": "pypto_passes.simplify:Simplify",
        "skew_cross_core_pipeline": "pypto_passes.skew_cross_core_pipeline:SkewCrossCorePipeline",
        "split_vector_kernel": "pypto_passes.split_vector_kernel:SplitVectorKernel",
        "stamp_tfree_split": "pypto_passes.stamp_tfree_split:StampTfreeSplit",
        "unroll_loops": "pypto_passes.unroll_loops:UnrollLoops",
    }


@hookimpl
def pypto_register_verifiers() -> Mapping[str, str]:
    """Verifiers by the property that they re-derive, and checks by their rule."""
    return {
        "acc_to_gm_store_valid": "pypto_passes.verifiers.acc_to_gm_store_valid:verify_acc_to_gm_store_valid",
        "aiv_split_valid": "pypto_passes.verifiers.aiv_split_valid:verify_aiv_split_valid",
        "allocated_memory_addr": "pypto_passes.allocate_memory_addr:verify_allocated_memory_addr",
        "array_not_escaped": "pypto_passes.verifiers.array_not_escaped:verify_array_not_escaped",
        "assign_type_symmetry": "pypto_passes.verifiers.assign_type_symmetry:verify_assign_type_symmetry",
        "atomic_add_dtype_valid": "pypto_passes.verifiers.atomic_add_dtype_valid:verify_atomic_add_dtype_valid",
        "break_continue_valid": "pypto_passes.verifiers.break_continue_valid:verify_break_continue_valid",
        "call_directions_resolved": "pypto_passes.derive_call_directions:verify_call_directions",
        "cluster_outlined": "pypto_passes.outline_cluster_scopes:verify_cluster_outlined",
        "comm_domain_scopes_materialized": "pypto_passes.verifiers.comm_domain_scopes_materialized:verify_comm_domains",
        "dist_tensor_ctx_materialized": "pypto_passes.verifiers.dist_tensor_ctx_materialized:verify_contexts",
        "hard_syncall_occupancy_valid": "pypto_passes.verifiers.hard_syncall_occupancy:verify_hard_syncall_occupancy",
        "has_mem_refs": "pypto_passes.init_mem_ref:verify_has_mem_refs",
        "hierarchy_outlined": "pypto_passes.outline_hierarchy_scopes:verify_hierarchy_outlined",
        "in_out_use_valid": "pypto_passes.verifiers.in_out_use_valid:verify_in_out_use_valid",
        "incore_tile_ops": "pypto_passes.convert_tensor_to_tile_ops:verify_incore_tile_ops",
        "inline_functions_eliminated": "pypto_passes.verifiers.inline_functions_eliminated:verify_no_inline_functions",
        "iter_arg_carry_classified": "pypto_passes.classify_iter_arg_carry:verify_iter_arg_carry",
        "manual_deps_on_submit_only": "pypto_passes.verifiers.manual_deps_on_submit_only:verify_manual_deps",
        "mixed_kernel_expanded": "pypto_passes.verifiers.mixed_kernel_expanded:verify_mixed_kernel_expanded",
        "no_nested_calls": "pypto_passes.flatten_call_expr:verify_no_nested_calls",
        "no_nested_in_core": "pypto_passes.verifiers.no_nested_in_core:verify_no_nested_in_core",
        "no_redundant_blocks": "pypto_passes.normalize_stmt_structure:verify_no_redundant_blocks",
        "normalized_stmt_structure": "pypto_passes.normalize_stmt_structure:verify_normalized",
        "orchestration_references_resolved": "pypto_passes.verifiers.orchestration_references_resolved:verify_calls",
        "out_param_not_shadowed": "pypto_passes.verifiers.out_param_not_shadowed:verify_out_param_not_shadowed",
        "out_param_write_dropped": "pypto_passes.checks.out_param_write_dropped:OUT_PARAM_WRITE_DROPPED",
        "pipeline_loop_valid": "pypto_passes.verifiers.pipeline_loop_valid:verify_pipeline_loop_valid",
        "pipeline_resolved": "pypto_passes.canonicalize_io_order:verify_pipeline_resolved",
        "return_params_explicit": "pypto_passes.normalize_return_order:verify_return_params_explicit",
        "runtime_scopes_materialized": "pypto_passes.materialize_runtime_scopes:verify_runtime_scopes",
        "split_incore_orch": "pypto_passes.outline_incore_scopes:verify_split_incore_orch",
        "ssa_form": "pypto_passes.verifiers.ssa_form:verify_ssa_form",
        "structured_ctrl_flow": "pypto_passes.verifiers.structured_ctrl_flow:verify_structured_ctrl_flow",
        "tensor_view_canonical": "pypto_passes.verifiers.tensor_view_canonical:verify_tensor_view_canonical",
        "tile_innermost_dim_granularity": "pypto_passes.checks.tile_innermost_dim_granularity:PH001",
        "tile_memory_inferred": "pypto_passes.infer_tile_memory_space:verify_tile_memory_inferred",
        "tile_ops_2d": "pypto_passes.verifiers.tile_ops_2d:verify_tile_ops_2d",
        "tile_type_coherence": "pypto_passes.verifiers.tile_type_coherence:verify_tile_type_coherence",
        "type_checked": "pypto_passes.verifiers.type_checked:verify_type_checked",
        "unroll_resolved": "pypto_passes.verifiers.unroll_resolved:verify_unroll_resolved",
        "unused_control_flow_result": "pypto_passes.checks.unused_control_flow_result:UNUSED_CONTROL_FLOW_RESULT",
        "unused_variable": "pypto_passes.checks.unused_variable:UNUSED_VARIABLE",
        "use_after_def": "pypto_passes.verifiers.use_after_def:verify_use_after_def",
        "vector_kernel_split": "pypto_passes.verifiers.vector_kernel_split:verify_vector_kernel_split",
    }
