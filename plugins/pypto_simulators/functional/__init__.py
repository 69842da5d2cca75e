# SPDX-License-Identifier: Apache-2.0
"""What a program computes, in NumPy, at every stage of its pipeline."""
