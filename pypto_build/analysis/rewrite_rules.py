# SPDX-License-Identifier: Apache-2.0
"""The rewriting rules for integer expressions: what linear forms, ranges and remainders do not see."""

from __future__ import annotations

from typing import Final

from pypto_build.analysis.rewrite_patterns import RuleTable

SHORTER: Final = RuleTable("""
    x // y * y + x % y -> x if y != 0
    x * y // y -> x if y != 0
    x * y % y -> 0 if y != 0
    (x - x % c1) // c1 -> x // c1 if c1 > 0
    (x // c1 + c2) // c3 -> (x + c1 * c2) // (c1 * c3) if c1 > 0 and c3 > 0
    (x // c1 - c2) // c3 -> (x - c1 * c2) // (c1 * c3) if c1 > 0 and c3 > 0
    max(x, y) + min(x, y) -> x + y
    min(x, y) * max(x, y) -> x * y
    min(x, max(x, y)) -> x
    max(x, min(x, y)) -> x
    min(x, min(x, y)) -> min(x, y)
    max(x, max(x, y)) -> max(x, y)
    min(max(x, y), max(x, z)) -> max(min(y, z), x)
    max(min(x, y), min(x, z)) -> min(max(y, z), x)
    min(x + y, x + z) -> x + min(y, z)
    max(x + y, x + z) -> x + max(y, z)
    min(y - x, z - x) -> min(y, z) - x
    max(y - x, z - x) -> max(y, z) - x
    min(x - y, x - z) -> x - max(y, z)
    max(x - y, x - z) -> x - min(y, z)
    min(x * c1, y * c1) -> min(x, y) * c1 if c1 > 0
    max(x * c1, y * c1) -> max(x, y) * c1 if c1 > 0
    min(x * c1, y * c1) -> max(x, y) * c1 if c1 < 0
    max(x * c1, y * c1) -> min(x, y) * c1 if c1 < 0
    x // c1 < c2 -> x < c1 * c2 if c1 > 0
    x // c1 >= c2 -> x >= c1 * c2 if c1 > 0
    x // c1 <= c2 -> x < c1 * (c2 + 1) if c1 > 0
    x // c1 > c2 -> x >= c1 * (c2 + 1) if c1 > 0
    c2 <= x // c1 -> c1 * c2 <= x if c1 > 0
    c2 < x // c1 -> c1 * (c2 + 1) <= x if c1 > 0
    not x < y -> y <= x
    not x <= y -> y < x
    not x > y -> x <= y
    not x >= y -> x < y
    not x == y -> x != y
    not x != y -> x == y
    x < y or x == y -> x <= y
    x < y or y < x -> x != y
    x <= y and x != y -> x < y
    x <= y and y <= x -> x == y
""")
"""Rules whose result has fewer nodes than what it replaces, whatever the names stand for."""

NORMAL: Final = RuleTable("""
    x + x -> x * 2
    x - (y - z) -> x + z - y
    (x - y) * c1 -> (y - x) * -c1 if c1 < 0
    min(x - z, y) + z -> min(x, y + z)
    max(x - z, y) + z -> max(x, y + z)
    min(x + y, z) - x -> min(y, z - x)
    max(x + y, z) - x -> max(y, z - x)
    (x + c1) // c2 -> x // c2 + c1 // c2 if c2 > 0 and c1 % c2 == 0
    (x - c1) // c2 -> x // c2 - c1 // c2 if c2 > 0 and c1 % c2 == 0
    x > y -> y < x
    x >= y -> y <= x
    min(x, y) < z -> x < z or y < z
    max(x, y) < z -> x < z and y < z
    z < min(x, y) -> z < x and z < y
    z < max(x, y) -> z < x or z < y
    min(x, y) <= z -> x <= z or y <= z
    max(x, y) <= z -> x <= z and y <= z
    z <= min(x, y) -> z <= x and z <= y
    z <= max(x, y) -> z <= x or z <= y
""")
"""Rules that give expressions a form in which other rules see more; some make them longer."""
