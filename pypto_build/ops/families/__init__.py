# SPDX-License-Identifier: Apache-2.0
"""The tables of operations, one module per family, each with a tuple OPS."""
