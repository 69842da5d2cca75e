# SPDX-License-Identifier: Apache-2.0
"""What each operation computes: one file per family, each a table of name -> function."""
