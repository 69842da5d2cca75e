# SPDX-License-Identifier: Apache-2.0
"""PTO assembly: one module per kernel, in the text that the public assembler reads."""
