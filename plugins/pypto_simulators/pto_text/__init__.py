# SPDX-License-Identifier: Apache-2.0
"""PTO assembly read back and run: what a program computes by the text that was emitted for its kernels."""

# Any: what a name of a kernel stands for is only known from its type in the text.
