# SPDX-License-Identifier: Apache-2.0
"""Checks: warnings about likely mistakes, and hints about speed."""
