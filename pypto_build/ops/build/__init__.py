# SPDX-License-Identifier: Apache-2.0
"""Functions that build calls from Python values, one module per namespace or idea."""
