# SPDX-License-Identifier: Apache-2.0
"""The program of an entry and the arguments that it is compiled for."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from pypto_build.dsl.jit.arguments import Argument, ConstantArgument, ScalarArgument, TensorArgument
from pypto_build.dsl.jit.function import Given, JITFunction
from pypto_build.dsl.jit.specialize import program_of
from pypto_build.dsl.language.dims import DynVar
from pypto_build.errors import Span, UserError, UserErrors
from pypto_build.ir import ConstInt, DataType, FunctionType, Program, ScalarType, TensorType, Var, dims, scalar_type


def specialized(entry: JITFunction, arguments: Mapping[str, Argument]) -> Program:
    """The program that begins at a function, for these arguments.

    A parameter without an argument is what its annotation says; its default value, if it is a number, is a constant.

    Raises:
        UserError: an argument is of no parameter or contradicts its annotation, or the function cannot be read.
    """
    _check_entry(entry, arguments)
    dimensions = _dimensions(entry, arguments)
    given = {
        name: Given(None, value) for name, value in entry.defaults().items() if isinstance(value, bool | int | float)
    }
    given |= {name: _given(argument, dimensions) for name, argument in arguments.items()}
    program = program_of(entry, given, set(dimensions.values()))
    function = program.get_function(entry.name)
    assert function is not None  # it is what the program was made for
    problems = [
        problem
        for param in function.params
        if (problem := _contradiction(param, arguments.get(param.name_hint))) is not None
    ]
    if problems:
        raise UserErrors(tuple(problems))
    return program


def _check_entry(entry: JITFunction, arguments: Mapping[str, Argument]) -> None:
    code = entry.python.__code__
    place = Span(code.co_filename, code.co_firstlineno, 1)
    if entry.func_type is FunctionType.Inline:
        help = "Compile a function that calls it"
        raise UserError("JIT004", f"'{entry.name}' is @pl.{entry.decorator}, which is no program", place, help=help)
    problems: list[UserError] = []
    for name in arguments:
        if name not in entry.parameters:
            close = get_close_matches(name, entry.parameters, 1)
            known = f"its parameters are: {', '.join(entry.parameters) or 'none'}"
            help = f"did you mean `{close[0]}`?" if close else known
            problems.append(UserError("JIT002", f"'{entry.name}' has no parameter {name!r}", place, help=help))
    if problems:
        raise UserErrors(tuple(problems))


def _dimensions(entry: JITFunction, arguments: Mapping[str, Argument]) -> dict[str, Var]:
    """The dimensions that arguments name: those of the source where it has them, new ones otherwise."""
    written = {value.name: value for value in entry.closure().values() if isinstance(value, DynVar)}
    shapes = [argument.shape for argument in arguments.values() if isinstance(argument, TensorArgument)]
    names = dict.fromkeys(extent for shape in shapes for extent in shape if isinstance(extent, str))
    return {name: written.get(name, DynVar(name)).unwrap() for name in names}


def _given(argument: Argument, dimensions: Mapping[str, Var]) -> Given:
    match argument:
        case TensorArgument(dtype, shape):
            extents = [dimensions[extent] if isinstance(extent, str) else extent for extent in shape]
            return Given(TensorType(dims(extents), dtype))
        case ScalarArgument(dtype):
            return Given(scalar_type(dtype))
        case ConstantArgument(value):
            return Given(scalar_type(_implied(value)), value)


def _implied(value: object) -> DataType:
    """The type of a constant whose parameter says none."""
    if isinstance(value, bool):
        return DataType.BOOL
    return DataType.INDEX if isinstance(value, int) else DataType.FP32


def _contradiction(param: Var, argument: Argument | None) -> UserError | None:
    """What is wrong between an annotation, which counts, and an argument."""
    if argument is None or isinstance(argument, ConstantArgument):
        return None
    agrees = isinstance(param.type, TensorType | ScalarType) and param.type.dtype is argument.dtype
    if isinstance(argument, TensorArgument):
        agrees = agrees and isinstance(param.type, TensorType) and _fits(param.type, argument.shape)
    elif not isinstance(param.type, ScalarType):
        agrees = False
    if agrees:
        return None
    return UserError(
        "JIT003",
        f"the argument of '{param.name_hint}' contradicts its annotation: {param.type}",
        param.span,
        help="Leave it out, or annotate the parameter as pl.Tensor or pl.Scalar only",
    )


def _fits(kind: TensorType, shape: tuple[int | str, ...]) -> bool:
    """Whether extents are those of a type; a dimension that the source leaves open takes any."""
    return len(kind.shape) == len(shape) and all(
        own.value == extent for own, extent in zip(kind.shape, shape, strict=True) if isinstance(own, ConstInt)
    )
