# SPDX-License-Identifier: Apache-2.0
"""`import pypto` is answered by this project, with the constructors, operators and views of the public interface."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pypto_build.ir as own
from pypto_build.compat import install
from pypto_build.compat.modules import ATTRIBUTES, MODULES
from pypto_build.compat.pytest_plugin import CHILDREN


@pytest.fixture
def pypto() -> Iterator[Any]:
    """The public package, gone again after the test."""
    with install():
        yield importlib.import_module("pypto")


@pytest.fixture
def ir(pypto: Any) -> Any:
    return pypto.ir


def scalar(ir: Any, name: str) -> Any:
    return ir.Var(name, ir.ScalarType(ir.DataType.INT64), ir.Span.unknown())


def test_leaving_the_installation_leaves_no_trace() -> None:
    with install():
        importlib.import_module("pypto.ir.pass_manager")
        assert own.Expr.__eq__ is not object.__eq__
    assert not any(name.split(".")[0] == "pypto" for name in sys.modules)
    assert own.Expr.__eq__ is object.__eq__
    assert not hasattr(own.Node, "as_python")


def test_another_package_of_that_name_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypto", ModuleType("pypto"))
    with pytest.raises(RuntimeError, match="another pypto"):
        install()


@pytest.mark.parametrize("name", sorted(MODULES))
@pytest.mark.usefixtures("pypto")
def test_every_module_of_the_table_can_be_imported(name: str) -> None:
    assert importlib.import_module(name).__name__ == name


@pytest.mark.parametrize("name", sorted(ATTRIBUTES["pypto"]))
def test_an_attribute_of_the_package_is_no_submodule(pypto: Any, name: str) -> None:
    assert isinstance(getattr(pypto, name), ModuleType)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"pypto.{name}")


def test_lists_and_numbers_become_tuples_and_constants(ir: Any) -> None:
    kind = ir.TensorType([64, 128], ir.DataType.FP32)
    assert kind == own.TensorType(own.dims([64, 128]), own.DataType.FP32)
    assert isinstance(kind, ir.TensorType)
    assert issubclass(ir.TensorType, ir.ShapedType)


def test_foreign_code_sees_lists_and_our_code_tuples(ir: Any) -> None:
    x = scalar(ir, "x")
    function = ir.Function("f", [x], [x.type], ir.ReturnStmt([x], ir.Span.unknown()), ir.Span.unknown())
    assert function.params == [x]
    assert function.return_types + function.return_types == [x.type, x.type]
    assert type(own.rebuilt(function, {}).params) is list  # the test looks again
    assert own.structural_equal(function, own.rebuilt(function, {}))


def test_operators_build_ir_with_the_place_of_the_caller(ir: Any) -> None:
    x = scalar(ir, "x")
    made = 2 * (x + 1)
    assert isinstance(made, ir.Mul)
    assert made.span.filename == __file__
    assert isinstance(x == 1, ir.Eq)


def test_a_call_finds_out_what_its_arguments_are(ir: Any) -> None:
    x, unknown = scalar(ir, "x"), ir.Span.unknown()
    typed = ir.Call(ir.Op("o"), [x], {"k": 1}, x.type, unknown)
    assert (typed.type, typed.kwargs) == (x.type, {"k": 1})
    assert ir.Call(ir.Op("o"), [x], unknown).type == ir.UnknownType()


def test_a_memory_reference_has_all_its_forms(ir: Any) -> None:
    assert ir.MemRef("buffer", slots=2).slot_count_ == 2
    assert ir.MemRef(ir.MemorySpace.Vec, 0, 256, 7).base_.name_hint == "mem_vec_7"
    assert ir.MemRef("base", 64, 256).byte_offset_.value == 64


def test_the_ir_cannot_be_changed(ir: Any) -> None:
    with pytest.raises(AttributeError):
        scalar(ir, "x").name_hint = "y"


def test_a_builder_builds_a_function(ir: Any) -> None:
    builder = ir.IRBuilder()
    with builder.function("f") as f:
        n = f.param("n", ir.ScalarType(ir.DataType.INT64))
        with builder.for_loop(builder.var("i", n.type), 0, n, 1) as loop:
            total = loop.iter_arg("total", 0)
            loop.return_var("result")
            builder.emit(ir.YieldStmt([total], ir.Span.unknown()))
        builder.return_stmt(loop.output())
    assert [type(stmt).__name__ for stmt in f.get_result().body.stmts] == ["ForStmt", "ReturnStmt"]


def test_a_builder_refuses_a_function_inside_a_function(ir: Any) -> None:
    builder = ir.IRBuilder()
    with builder.function("outer"), pytest.raises(RuntimeError, match="Cannot begin function 'inner'"):
        builder.function("inner")


def test_a_visitor_of_the_public_names_is_called(ir: Any) -> None:
    class Adds(ir.IRVisitor):
        found = 0

        def visit_add(self, op: object) -> None:
            self.found += 1
            super().visit_add(op)

    visitor = Adds()
    x = scalar(ir, "x")
    visitor.visit_expr(x + (x + x))
    assert visitor.found == 2


def test_a_mutator_returns_the_same_object_when_nothing_changes(ir: Any) -> None:
    x = scalar(ir, "x")
    body = ir.AssignStmt(scalar(ir, "y"), x + x, ir.Span.unknown())
    assert ir.IRMutator().visit_stmt(body) is body


def test_equal_structures_have_equal_hashes(ir: Any) -> None:
    first, second = (scalar(ir, name) + 1 for name in ("x", "y"))
    assert ir.structural_hash(first, True) == ir.structural_hash(second, True)
    assert ir.structural_hash(first) != ir.structural_hash(second)


def test_what_is_serialized_is_deserialized(ir: Any) -> None:
    expr = scalar(ir, "x") + 1
    assert ir.structural_equal(ir.deserialize(ir.serialize(expr)), expr, True)
    with pytest.raises(ValueError, match="cannot deserialize"):
        ir.deserialize(b"nonsense")


@pytest.mark.usefixtures("pypto")
def test_the_backend_is_chosen_once() -> None:
    backend = importlib.import_module("pypto.backend")
    backend.set_backend_type(backend.BackendType.Ascend950)
    with pytest.raises(ValueError, match="already set"):
        backend.set_backend_type(backend.BackendType.Ascend910B)
    backend.reset_for_testing()
    assert not backend.is_backend_configured()


def test_a_python_function_is_a_pass_with_instruments_around_it(pypto: Any) -> None:
    seen: list[str] = []
    note = pypto.passes.CallbackInstrument(before_pass=lambda one, _program: seen.append(one.get_name()))
    program = pypto.ir.Program([], "p", pypto.ir.Span.unknown())
    with pypto.passes.PassContext([note]):
        assert pypto.passes.create_program_pass(lambda given: given, "Same")(program) is program
    assert seen == ["Same"]
    assert pypto.passes.PassContext.current() is None


def test_a_pass_that_no_plugin_provides_is_an_attribute_error(pypto: Any) -> None:
    with pytest.raises(AttributeError, match="no_such_pass"):
        _ = pypto.passes.no_such_pass


def test_property_sets_print_in_declaration_order(pypto: Any) -> None:
    properties = pypto.passes.IRPropertySet()
    properties.insert(pypto.passes.IRProperty.TypeChecked)
    properties.insert(pypto.passes.IRProperty.SSAForm)
    assert str(properties) == "{SSAForm, TypeChecked}"


def test_importing_the_package_loads_no_numpy() -> None:
    code = (
        "import sys, pypto_build.compat as c; c.install(); import pypto.language, pypto.ir; "
        "print({'numpy', 'pydantic'} & set(sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert shown.strip() == "set()"


def test_a_process_finds_the_package_on_its_path() -> None:
    code = "import pypto.language as pl; from pypto import ir; print(pl.FP32 is ir.FP32)"
    environment = {**os.environ, "PYTHONPATH": str(CHILDREN)}
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    assert shown.stdout.strip() == "True"


def test_a_file_that_cannot_be_imported_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "test_lacking.py").write_text("import a_package_that_nobody_has\n")
    (tmp_path / "test_running.py").write_text("from pypto import ir\n\ndef test_runs():\n    assert ir.Var\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "pypto_build.compat",
        "-p",
        "no:cacheprovider",
        str(tmp_path),
    ]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "1 passed, 1 error" in shown.stdout


@pytest.mark.parametrize(("mode", "stored"), [("UP_DOWN", {"split": 1, "kept": True}), ("NONE", {"kept": True})])
def test_the_way_to_split_of_a_function_is_stored_as_the_front_end_stores_it(
    ir: Any, mode: str, stored: dict[str, object]
) -> None:
    attrs = {"split": ir.SplitMode[mode], "kept": True}
    function = ir.Function("f", [], [], ir.SeqStmts([], ir.Span.unknown()), ir.Span.unknown(), attrs=attrs)
    assert dict(function.attrs) == stored
