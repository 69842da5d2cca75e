# SPDX-License-Identifier: Apache-2.0
"""Operations of a kernel: the table of those that are written the same way, and where the others are written."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import Call, DataType, ScalarType, TileType, Type, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.text import Value

Handler = Callable[[Kernel, Call, "Var | None"], None]


def emit_call(kernel: Kernel, call: Call, var: Var | None) -> None:
    """One operation; `var` is what its result is bound to."""
    kernel.text.span = call.span if call.span.is_valid() else kernel.text.span
    name = call.op.name
    handler = handlers().get(name)
    if handler is not None:
        handler(kernel, call, var)
    elif name in SIMPLE:
        simple(kernel, call, var, mnemonic=SIMPLE[name])
    else:
        _of_plugin(kernel, call, var)


def _of_plugin(kernel: Kernel, call: Call, var: Var | None) -> None:
    """An operation whose definition states its instruction; several results are several destinations."""
    definition = kernel.context.ops.get(call.op.name)
    if not definition.mnemonic:
        raise UserError("PTO006", f"the pto target cannot translate {call.op.name}", call.span)
    operands = [operand(kernel, arg.type, call, index) for index, arg in enumerate(call.args)]
    several = definition.output_arity > 1
    results = [value for _, value in kernel.outputs(call, var)] if several else [result(kernel, call, var)]
    write(kernel, definition.mnemonic, operands, results)


def simple(kernel: Kernel, call: Call, var: Var | None, *, mnemonic: str, ins: str = "", outs: str = "") -> None:
    """`pto.x ins(all arguments) outs(result)`, with attributes inside `ins` or behind `outs`."""
    destination = result(kernel, call, var)
    operands = [operand(kernel, arg.type, call, index) for index, arg in enumerate(call.args)]
    write(kernel, mnemonic, operands, [destination], ins=ins, outs=outs)


def result(kernel: Kernel, call: Call, var: Var | None) -> Value:
    """The buffer that an operation writes."""
    if var is None:
        raise InternalError(f"the result of {call.op.name} is not bound to a variable", call.span)
    return kernel.tile(var)


def operand(kernel: Kernel, kind: Type, call: Call, index: int) -> Value:
    """An argument; a scalar beside tiles takes the element type of the first tile."""
    arg = call.args[index]
    if isinstance(kind, TileType):
        return kernel.value(arg)
    if isinstance(kind, ScalarType):
        if call.op.name in _INT32_SCALARS:
            return kernel.integer32(arg)
        return kernel.scalar(arg, _element_of(call) or kind.dtype)
    raise InternalError(f"argument {index} of {call.op.name} is neither tile nor scalar", call.span)


def _element_of(call: Call) -> DataType | None:
    for arg in call.args:
        if isinstance(arg.type, TileType):
            return arg.type.dtype
    return None


def write(
    kernel: Kernel, mnemonic: str, operands: list[Value], results: list[Value], *, ins: str = "", outs: str = ""
) -> None:
    """An instruction in destination-passing form."""
    names = ", ".join(value.name for value in operands)
    types = ", ".join(value.type for value in operands)
    inside = f" {ins}" if ins else ""
    targets = ", ".join(value.name for value in results)
    kinds = ", ".join(value.type for value in results)
    behind = f" {outs}" if outs else ""
    kernel.text.emit(f"{mnemonic} ins({names}{inside} : {types}) outs({targets} : {kinds}){behind}")


_INT32_SCALARS = frozenset({"tile.ands", "tile.ors", "tile.xors", "tile.shls", "tile.shrs"})

# Operation -> mnemonic, where all arguments are operands in order and the result is the one destination.
SIMPLE: dict[str, str] = {
    f"tile.{op}": f"pto.{mnemonic}"
    for op, mnemonic in (
        ("add", "tadd"),
        ("sub", "tsub"),
        ("mul", "tmul"),
        ("rem", "trem"),
        ("part_add", "tpartadd"),
        ("part_mul", "tpartmul"),
        ("part_max", "tpartmax"),
        ("part_min", "tpartmin"),
        ("fmod", "tfmod"),
        ("and", "tand"),
        ("or", "tor"),
        ("xor", "txor"),
        ("shl", "tshl"),
        ("shr", "tshr"),
        ("maximum", "tmax"),
        ("minimum", "tmin"),
        ("abs", "tabs"),
        ("exp", "texp"),
        ("sqrt", "tsqrt"),
        ("neg", "tneg"),
        ("not", "tnot"),
        ("relu", "trelu"),
        ("addc", "taddc"),
        ("subc", "tsubc"),
        ("adds", "tadds"),
        ("subs", "tsubs"),
        ("muls", "tmuls"),
        ("divs", "tdivs"),
        ("rems", "trems"),
        ("fmods", "tfmods"),
        ("ands", "tands"),
        ("ors", "tors"),
        ("xors", "txors"),
        ("shls", "tshls"),
        ("shrs", "tshrs"),
        ("maximums", "tmaxs"),
        ("minimums", "tmins"),
        ("lrelu", "tlrelu"),
        ("addsc", "taddsc"),
        ("subsc", "tsubsc"),
        ("row_sum", "trowsum"),
        ("row_max", "trowmax"),
        ("row_min", "trowmin"),
        ("row_prod", "trowprod"),
        ("col_max", "tcolmax"),
        ("col_min", "tcolmin"),
        ("col_prod", "tcolprod"),
        ("row_argmax", "trowargmax"),
        ("row_argmin", "trowargmin"),
        ("col_argmax", "tcolargmax"),
        ("col_argmin", "tcolargmin"),
        ("col_expand_mul", "tcolexpandmul"),
        ("col_expand_add", "tcolexpandadd"),
        ("col_expand_div", "tcolexpanddiv"),
        ("col_expand_sub", "tcolexpandsub"),
        ("col_expand_max", "tcolexpandmax"),
        ("col_expand_min", "tcolexpandmin"),
        ("col_expand_expdif", "tcolexpandexpdif"),
        ("row_expand_div", "trowexpanddiv"),
        ("row_expand_mul", "trowexpandmul"),
        ("row_expand_sub", "trowexpandsub"),
        ("row_expand_add", "trowexpandadd"),
        ("row_expand_max", "trowexpandmax"),
        ("row_expand_min", "trowexpandmin"),
        ("row_expand_expdif", "trowexpandexpdif"),
        ("fillpad", "tfillpad"),
        ("fillpad_inplace", "tfillpad"),
        ("matmul", "tmatmul"),
        ("matmul_mx", "tmatmul.mx"),
        ("matmul_mx_bias", "tmatmul.mx.bias"),
        ("matmul_bias", "tmatmul.bias"),
        ("concat", "tconcat"),
        ("gather", "tgather"),
        ("rsqrt", "trsqrt"),
        ("sel", "tsel"),
        ("sels", "tsels"),
        ("prelu", "tprelu"),
        ("gatherb", "tgatherb"),
        ("sort32", "tsort32"),
    )
}

_HANDLERS: dict[str, Handler] = {}


def handlers() -> dict[str, Handler]:
    """The operations that are written in a way of their own, by name."""
    if not _HANDLERS:
        from pypto_targets.pto import compute, datamove, matmul, memory

        for module in (memory, compute, matmul, datamove):
            _HANDLERS.update(module.HANDLERS)
    return _HANDLERS
