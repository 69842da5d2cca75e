# SPDX-License-Identifier: Apache-2.0
"""Builders of asynchronous prefetches of global memory into the second-level cache."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Expr
from pypto_build.ops.build.normal import call

__all__ = [
    "async_prefetch",
    "make_context",
    "session",
    "wait",
]


def make_context(*, span: Span = UNKNOWN_SPAN) -> Call:
    """The context of a kernel's prefetches."""
    return call("prefetch.make_context", (), None, span)


def async_prefetch(src: Expr, ctx: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Start a prefetch of a flat piece of global memory."""
    return call("prefetch.async_prefetch", (src, ctx), None, span)


def session(ctx: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The session that waits for prefetches of a context."""
    return call("prefetch.session", (ctx,), None, span)


def wait(event: Expr, session_handle: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Wait until a prefetch has landed."""
    return call("prefetch.wait", (event, session_handle), None, span)
