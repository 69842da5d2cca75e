# SPDX-License-Identifier: Apache-2.0
"""The files that make one pipeline: the one asked for and, through `extends`, those it starts from."""

from __future__ import annotations

import os

from pypto_build.errors import UNKNOWN_SPAN, Span, UserError
from pypto_build.pipeline.locate import Origin, locate
from pypto_build.pipeline.model import PipelineFile
from pypto_build.pipeline.problems import Problems
from pypto_build.pipeline.reading import read_file, read_text


def read_chain(origin: Origin, problems: Problems) -> tuple[PipelineFile, ...]:
    """The file asked for first, then the one it extends, and so on; a cycle is cut and reported."""
    chain: list[PipelineFile] = []
    following: Origin | None = origin
    while following is not None:
        file = _read(following, problems, span=_asking(chain))
        if file is None:
            break
        chain.append(file)
        following = _extended(file, following, problems=problems, chain=chain)
    return tuple(chain)


def _asking(chain: list[PipelineFile]) -> Span:
    """The place that asks for the next file of a chain."""
    extends = chain[-1].extends if chain else None
    return extends.span if extends is not None else UNKNOWN_SPAN


def _read(origin: Origin, problems: Problems, *, span: Span) -> PipelineFile | None:
    try:
        text = origin.text if origin.text is not None else read_text(origin.filename, span=span)
    except UserError as error:
        problems.add(error)
        return None
    return read_file(text, origin.filename, problems=problems)


def _extended(file: PipelineFile, origin: Origin, *, problems: Problems, chain: list[PipelineFile]) -> Origin | None:
    if file.extends is None:
        return None
    span = file.extends.span
    try:
        base = locate(file.extends.value, directory=origin.directory, span=span)
    except UserError as error:
        problems.add(error)
        return None
    seen = [os.path.realpath(one.filename) for one in chain]
    if os.path.realpath(base.filename) in seen:
        names = [one.filename for one in chain[seen.index(os.path.realpath(base.filename)) :]]
        circle = " -> ".join([*names, names[0]])
        problems.add(UserError("PIPE006", f"pipelines extend each other in a circle: {circle}", span))
        return None
    problems.extended_at(base.filename, span)
    return base
