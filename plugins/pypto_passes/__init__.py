# SPDX-License-Identifier: Apache-2.0
"""First-party passes, loaded exactly like anybody else's."""
