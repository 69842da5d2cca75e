# SPDX-License-Identifier: Apache-2.0
"""The SCons tool: builders, scanner, store look-ups and the pool of worker processes."""

# Any: SCons has no types; environments and nodes are what it hands us.

from pypto_build.scons.tool import exists, generate

__all__ = ["exists", "generate"]
