# SPDX-License-Identifier: Apache-2.0
"""`pl.system`: the operations of this namespace, each found when it is first named."""

from __future__ import annotations

from pypto_build.dsl.language.operations import namespace

__getattr__, __dir__ = namespace("system")

AUTO = -1
