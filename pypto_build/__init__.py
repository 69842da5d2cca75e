# SPDX-License-Identifier: Apache-2.0
"""Build PyPTO tile kernels into PTO objects; nothing heavy is imported here."""

__version__ = "0.1.0"
