# SPDX-License-Identifier: Apache-2.0
"""Where the fields of a communication context lie, in bytes: generated code reads them without the runtime's header.

Source: the public layout of the communication context (`pypto.ir.comm_layout`). The window fields are arrays with one
address per rank.
"""

from __future__ import annotations

from typing import Final

RANK_ID_OFFSET: Final = 16
RANK_NUM_OFFSET: Final = 20
WINDOWS_IN_OFFSET: Final = 32
WINDOWS_OUT_OFFSET: Final = 544
WINDOW_SLOT_STRIDE: Final = 8
COMM_CTX_SIZE: Final = 1056
