# SPDX-License-Identifier: Apache-2.0
"""Asynchronous prefetches of tensors into the cache."""

from __future__ import annotations

from pypto_build.ir import Call, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, named, typed
from pypto_targets.pto.tensors import whole

CONTEXT, EVENT, SESSION = "!pto.prefetch_async_context", "!pto.async_event", "!pto.async_session"


def make_context(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`prefetch.make_context()`: works in a workspace that the runtime hands in."""
    del call
    workspace = kernel.hidden["prefetch_workspace"]
    text = f"pto.make_prefetch_async_context({workspace.name} : {workspace.type}) -> {CONTEXT}"
    kernel.bind(var, text, CONTEXT)


def start(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`prefetch.async_prefetch(tensor, context)`."""
    operands = [whole(kernel, call.args[0]), kernel.value(call.args[1])]
    kernel.bind(var, f"pto.tprefetch_async({named(operands)} : {typed(operands)}) -> {EVENT}", EVENT)


def session(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`prefetch.session(context)`."""
    context = kernel.value(call.args[0])
    kernel.bind(var, f"pto.get_prefetch_async_session {context.name} : {context.type} -> {SESSION}", SESSION)


def wait(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`prefetch.wait(event, session)`."""
    operands = [kernel.value(arg) for arg in call.args]
    kernel.bind(var, f"pto.comm.wait_async_event({named(operands)} : {typed(operands)}) -> i1", "i1")


HANDLERS: dict[str, Handler] = {
    "prefetch.make_context": make_context,
    "prefetch.async_prefetch": start,
    "prefetch.session": session,
    "prefetch.wait": wait,
}
