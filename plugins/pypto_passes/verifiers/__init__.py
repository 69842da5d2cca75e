# SPDX-License-Identifier: Apache-2.0
"""Verifiers of properties that no single pass produces, or that several keep: one module per idea."""
