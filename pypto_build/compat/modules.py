# SPDX-License-Identifier: Apache-2.0
"""The modules of the package `pypto`: where each of their names comes from.

A row is `module: names`; `module: *` hands every name of a module on, `module.TABLE: *` every key of a mapping in it.
Modules without a dot at the front are those of this room.
"""

from __future__ import annotations

from typing import Final

_LOGGING: Final = (
    "reporting: LogLevel check get_log_level internal_check internal_check_span log_debug log_error log_event "
    "log_fatal log_info log_warn set_log_level"
)
_CORE: Final = (
    "core.CLASSES: *",
    "core: DYNAMIC_DIM null",
    "factories.FACTORIES: *",
    "printing: python_print python_print_type register_format_callback",
    "registry: create_op_call get_op get_op_arg_effect get_op_memory_spec get_op_write_channel is_op_registered "
    "op_has_declared_arg_effect op_has_declared_arg_effects",
    "serialization: deserialize deserialize_from_file serialize serialize_to_file",
    "hashing: structural_hash",
    "utilities: ParentStmtAnalysis attach_leading_comments collect_def_vars deduce_call_return_type deep_clone "
    "find_yield_stmt flatten_to_stmts get_last_yield_stmt is_incore_type level_to_linqu_level set_call_attrs "
    "substitute_expr substitute_stmt",
    "visitors: IRMutator IRVisitor",
    ".ir: assert_structural_equal structural_equal",
)
_BACKEND: Final = (
    "backend_state: BackendType get_backend_type is_backend_configured reset_for_testing set_backend_type",
    "backends: Backend Backend910B Backend950 BackendHandler get_backend_instance get_handler",
    "soc: Cluster Core Die Mem SoC",
)
_PASS_SETTINGS: Final = (
    "pass_settings: DiagnosticCheck DiagnosticCheckSet DiagnosticPhase DiagnosticSeverity MemoryPlanner RuntimeKind "
    "VerificationLevel VerificationMode get_default_diagnostic_phase get_default_verification_level "
    "runtime_kind_from_name runtime_kind_to_name"
)
_EXCEPTIONS: Final = (
    ".dsl.diagnostics: BUG_CLASS_EXCEPTIONS InvalidOperationError ParserError ParserSyntaxError ParserTypeError "
    "SSAViolationError ScopeIsolationError UndefinedVariableError UnsupportedFeatureError"
)
_ARITH: Final = (
    "arith: Analyzer ConstraintContext",
    "arith_parts: CanonicalSimplifier ConstIntBoundAnalyzer IntSetAnalyzer ModularSetAnalyzer RewriteSimplifier "
    "TransitiveComparisonAnalyzer",
    "arith_values: CompareResult ConstIntBound IntSet ModularSet",
    "arith_numbers: extended_euclidean floordiv floormod fold_const gcd lcm",
)
_CODEGEN: Final = ("codegen: OrchestrationResult PTOCodegen generate_orchestration",)
_DISTRIBUTED: Final = ("tensor", "tile", "system")
_NAMESPACES: Final = {
    name: (f"op_builders.{name.upper()}: *",) for name in ("tile", "tensor", "system", "array", "prefetch")
}
_TYPING: Final = {
    "array": "Array",
    "direction": "InOut Out",
    "distributed_tensor": "DistributedTensor",
    "dynamic": "DynVar dynamic",
    "memref": "MemRef",
    "prefetch_handle": "AsyncEvent AsyncSession PrefetchAsyncContext",
    "ptr": "Ptr",
    "scalar": "RUNTIME Scalar",
    "tensor": "Tensor",
    "tile": "Tile",
    "tuple": "Tuple",
}

MODULES: Final[dict[str, tuple[str, ...]]] = {
    "pypto": (
        _LOGGING,
        "public_errors: Error InternalError",
        ".ir: DataType",
        "dtypes.NAMES: *",
    ),
    "pypto.pypto_core": (
        _LOGGING,
        "reporting.CORE_ONLY: *",
        "public_errors: AssertionError Error IndexError InternalError NotImplementedError RuntimeError TypeError "
        "ValueError",
        ".ir: DataType",
    ),
    "pypto.pypto_core.ir": _CORE,
    "pypto.pypto_core.ir.comm_layout": (
        ".analysis.communication_context: RANK_ID_OFFSET RANK_NUM_OFFSET WINDOWS_IN_OFFSET WINDOWS_OUT_OFFSET "
        "WINDOW_SLOT_STRIDE COMM_CTX_SIZE",
    ),
    "pypto.pypto_core.ir.tensor_view_semantics": ("view_semantics.NAMES: *",),
    "pypto.pypto_core.passes": (
        _PASS_SETTINGS,
        "pass_context: PassContext PassInstrument",
        "pass_properties: IRPropertySet get_default_verify_properties get_structural_properties "
        "get_verified_properties",
        "pass_instruments: CallbackInstrument DiagnosticInstrument VerificationInstrument",
        "report_instrument: ReportInstrument",
        "pass_objects: Pass PassPipeline PassProperties create_function_pass create_program_pass run_verifier",
        "diagnostics: Diagnostic NestedCallErrorType PropertyVerifierRegistry SSAErrorType TypeCheckErrorType "
        "UseAfterDefErrorType verify_properties verify_tensor_view_canonical",
        "diagnostic_checks: DiagnosticCheckRegistry",
        ".passes: IRProperty",
        "pass_objects.FACTORIES: *",
    ),
    "pypto.pypto_core.passes.stmt_dependency_analysis": (
        "statement_graph: StmtDependencyGraph build_stmt_dependency_graph check_inout_use_discipline",
    ),
    "pypto.pypto_core.backend": _BACKEND,
    "pypto.pypto_core.arith": _ARITH,
    "pypto.pypto_core.codegen": _CODEGEN,
    "pypto.pypto_core.testing": ("testing: *",),
    "pypto.arith": _ARITH,
    "pypto.backend": _BACKEND,
    "pypto.backend.pto_backend": ("pto_backend.NAMES: *",),
    "pypto.codegen": _CODEGEN,
    "pypto.compile_profiling": ("compile_profiling: *",),
    "pypto.ir": (
        *_CORE,
        "builder: IRBuilder",
        "dtypes.PLAIN: *",
        "calls: directions inout input make_call no_dep output output_existing scalar_dir",
        "pass_context: PassContext",
        "pass_instruments: make_roundtrip_instrument",
        "pass_manager: OptimizationStrategy PassDumpLevel PassManager",
        _PASS_SETTINGS,
    ),
    "pypto.ir.builder": (
        "builder: IRBuilder",
        "builder_contexts: ForLoopBuilder IfStmtBuilder WhileLoopBuilder",
        "builder_wholes: FunctionBuilder ProgramBuilder",
    ),
    "pypto.ir.directions": ("calls: *", ".ir: ArgDirection"),
    "pypto.ir.instruments": ("pass_instruments: make_roundtrip_instrument",),
    "pypto.ir.op": (),
    **{f"pypto.ir.op.{name}": rows for name, rows in _NAMESPACES.items()},
    **{f"pypto.ir.op.{name}_ops": rows for name, rows in _NAMESPACES.items()},
    "pypto.ir.op._pad_value": ("aliases.PAD_VALUES: *",),
    "pypto.ir.pass_manager": ("pass_manager: OptimizationStrategy PassDumpLevel PassManager",),
    "pypto.ir.printer": ("printing: python_print",),
    "pypto.ir.tensor_view_semantics": ("view_semantics.NAMES: *",),
    "pypto.ir.type": ("core.CLASSES: TensorType TensorView TileType TileView",),
    "pypto.ir.utils": ("warnings_at: caller_warning_stacklevel", "warnings_at.SPANS: *"),
    "pypto.ir.op.distributed": tuple(f"op_builders.PLD_{name.upper()}: *" for name in _DISTRIBUTED),
    **{f"pypto.ir.op.distributed.{name}_ops": (f"op_builders.PLD_{name.upper()}: *",) for name in _DISTRIBUTED},
    "pypto.jit": (".dsl.language: JITFunction jit",),
    "pypto.jit.decorator": (".dsl.language: JITFunction jit",),
    "pypto.language": ("runtime_forms.NAMES: *", ".dsl.language: *"),
    "pypto.language.arg_direction": (".dsl.language.adir: *", "aliases: DIRECTION_TO_NAME NAME_TO_DIRECTION"),
    "pypto.language.distributed": (".dsl.language.distributed: *",),
    "pypto.language.distributed.op": (".dsl.language.distributed: *",),
    **{
        f"pypto.language.distributed.op.{name}_ops": (
            f".dsl.language.distributed.{name}: *",
            "op_builders.PLD_CHECKS: *",
        )
        for name in _DISTRIBUTED
    },
    "pypto.language.distributed.op.unified_ops": (".dsl.language.distributed: *",),
    "pypto.language.distributed.typing": (".dsl.language.distributed: CommCtx DistributedTensor",),
    "pypto.language.distributed.typing.comm_ctx": (".dsl.language.distributed: CommCtx",),
    "pypto.language.distributed.typing.distributed_tensor": (".dsl.language.distributed: DistributedTensor",),
    "pypto.language.dsl_api": (".dsl.language: *",),
    "pypto.language.optimizations": (".dsl.language.optimizations: *",),
    "pypto.language.op": ("runtime_forms.NAMES: *", ".dsl.language: *"),
    **{f"pypto.language.op.{name}_ops": (f".dsl.language.{name}: *",) for name in _NAMESPACES},
    "pypto.language.op.unified_ops": (".dsl.language: *",),
    "pypto.language.parser": (
        _EXCEPTIONS,
        ".dsl.text: loads loads_program parse parse_program",
        ".dsl.language: InlineFunction Scalar Tensor Tile function inline program range yield_",
    ),
    "pypto.language.parser.decorator": (".dsl.language: InlineFunction function inline program",),
    "pypto.language.parser.ast_parser": ("aliases: ASTParser",),
    "pypto.language.parser.source_lookup": ("aliases.SOURCE_LOOKUP: *",),
    "pypto.language.parser.diagnostics": (_EXCEPTIONS, "rendering: ErrorRenderer concise_error_message"),
    "pypto.language.parser.diagnostics.exceptions": (_EXCEPTIONS, "rendering: concise_error_message"),
    "pypto.language.parser.diagnostics.renderer": ("rendering: ErrorRenderer",),
    "pypto.language.parser.expr_evaluator": ("parser_parts: ExprEvaluator",),
    "pypto.language.parser.comment_extractor": (".dsl.comments: *",),
    "pypto.language.parser.scope_manager": ("parser_internals: ScopeManager SSAViolationError",),
    "pypto.language.parser.span_tracker": ("parser_internals: SpanTracker",),
    "pypto.language.parser.text_parser": (".dsl.text: loads loads_program parse parse_program",),
    "pypto.language.parser.type_resolver": ("parser_parts: TypeResolver",),
    "pypto.language.scope": (".dsl.language: ScopeMode manual_scope scope spmd_submit submit",),
    "pypto.language.typing": (f".dsl.language: {' '.join(_TYPING.values())}",),
    **{f"pypto.language.typing.{module}": (f".dsl.language: {names}",) for module, names in _TYPING.items()},
}

ATTRIBUTES: Final[dict[str, dict[str, str]]] = {
    "pypto.ir": {"comm_layout": "pypto.pypto_core.ir.comm_layout"},
    "pypto.ir.pass_manager": {"passes": "pypto.pypto_core.passes"},
    "pypto": {"passes": "pypto.pypto_core.passes", "testing": "pypto.pypto_core.testing"},
    "pypto.ir.op": {name: f"pypto.ir.op.{name}" for name in _NAMESPACES},
}
"""Attributes that are modules of another name; they cannot be imported under the name of the attribute."""
