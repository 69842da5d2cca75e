# SPDX-License-Identifier: Apache-2.0
"""`pl.adir`: what a task does with an argument, as `attrs={"arg_directions": [...]}` spells it."""

from __future__ import annotations

from typing import Final

from pypto_build.ir import ArgDirection

input: Final = ArgDirection.Input
output: Final = ArgDirection.Output
inout: Final = ArgDirection.InOut
output_existing: Final = ArgDirection.OutputExisting
no_dep: Final = ArgDirection.NoDep
scalar: Final = ArgDirection.Scalar
