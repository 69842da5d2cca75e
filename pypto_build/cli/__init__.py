# SPDX-License-Identifier: Apache-2.0
"""The command line: one file for each command, every command an ordinary contribution."""
