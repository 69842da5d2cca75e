# SPDX-License-Identifier: Apache-2.0
"""InlineFunctionsEliminated: no inline function is left, and nothing calls one."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import Call, FunctionType, GlobalVar, Program, Submit, collect
from pypto_build.passes import PassContext


def verify_no_inline_functions(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every inline function, every call of one, and every launch of one: that cannot be put in place.

    An inline function is gone when its launch is left, so a launch of something unknown counts.
    """
    del context
    known = {f.name for f in program.functions.values()}
    inline = {f.name for f in program.functions.values() if f.func_type is FunctionType.Inline}
    for function in program.functions.values():
        if function.name in inline:
            text = f"Inline function '{function.name}' is left in the program"
            yield Diagnostic("error", "InlineFunctionsEliminated", text, function.span)
        for call in collect(function.body, Call):
            if isinstance(call.op, GlobalVar) and call.op.name in inline:
                text = f"Call to Inline function '{call.op.name}' is left in function '{function.name}'"
                yield Diagnostic("error", "InlineFunctionsEliminated", text, call.span)
        for submit in collect(function.body, Submit):
            if submit.op.name in inline or submit.op.name not in known:
                text = f"'{submit.op.name}', launched in function '{function.name}', is Inline or gone: call it instead"
                yield Diagnostic("error", "InlineFunctionsEliminated", text, submit.span)
