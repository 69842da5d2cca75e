# SPDX-License-Identifier: Apache-2.0
"""Printing: IR as text that the front end reads back."""

from pypto_build.ir.printing.printer import print_type, python_print

__all__ = ["print_type", "python_print"]
