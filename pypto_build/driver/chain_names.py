# SPDX-License-Identifier: Apache-2.0
"""What the history of an object is kept under: names of places and programs, which no key contains."""

from __future__ import annotations

import hashlib
import os

from pypto_build.driver.load import LoadedSource
from pypto_build.driver.request import CompileRequest


def family_of(request: CompileRequest, source: LoadedSource) -> str:
    """The source with its program and arguments, whatever pipeline it goes through."""
    name = " ".join((source.program.name, *sorted(request.arguments)))
    return f"{os.path.abspath(request.source)}:{name}"


def chain_id_of(request: CompileRequest, source: LoadedSource) -> str:
    """The source and the pipeline together, the latter with its parameters."""
    defines = (f"{name}={value}" for name, value in sorted(request.defines))
    return " ".join((family_of(request, source), "through", _pipeline(request.pipeline), *defines))


def _pipeline(spec: str) -> str:
    """A name, the absolute place of a file, or the digest of what is no name but the pipeline itself."""
    if "{" in spec:
        return hashlib.sha256(spec.encode()).hexdigest()
    return os.path.abspath(spec) if os.path.isfile(spec.rpartition("@")[0] or spec) else spec
