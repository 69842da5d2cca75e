# SPDX-License-Identifier: Apache-2.0
"""First-party simulators, loaded exactly like anybody else's."""
