# SPDX-License-Identifier: Apache-2.0
"""Compile one source, link, simulate and check; the process that does it for a build tool."""

# Any: JSON documents, and the arrays and numbers of users' golden files.
