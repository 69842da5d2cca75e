# SPDX-License-Identifier: Apache-2.0
"""The SCons tool `pypto`: `Environment(tools=["pypto"])`."""

from pypto_build.scons import exists, generate  # noqa: F401  # SCons looks these two up
