# SPDX-License-Identifier: Apache-2.0
"""`pypto.runtime` as far as sources mention it beside their kernels: how to run them, which compiling does not read."""

from __future__ import annotations


class RunConfig:
    """How a kernel is run on a device: whatever a source says, kept as attributes."""

    def __init__(self, **options: object) -> None:
        self.__dict__.update(options)
