# SPDX-License-Identifier: Apache-2.0
"""First-party targets, loaded exactly like anybody else's."""
