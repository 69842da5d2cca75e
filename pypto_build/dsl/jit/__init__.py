# SPDX-License-Identifier: Apache-2.0
"""`@pl.jit`: kernels whose types are those of the arguments that they are compiled for."""

from pypto_build.dsl.jit.function import JITFunction

__all__ = ["JITFunction"]
