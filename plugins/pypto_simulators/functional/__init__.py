# SPDX-License-Identifier: Apache-2.0
"""What a program computes, in NumPy, at every stage of its pipeline."""

# Any: NumPy types and scalars whose element type is only known when they are looked at.
