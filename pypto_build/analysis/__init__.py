# SPDX-License-Identifier: Apache-2.0
"""Questions that several passes ask about a program."""
