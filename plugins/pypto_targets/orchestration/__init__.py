# SPDX-License-Identifier: Apache-2.0
"""Orchestration C++: what the task runtime runs to launch kernels."""
