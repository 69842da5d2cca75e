# SPDX-License-Identifier: Apache-2.0
"""The operations whose arguments are all operands, in order, and whose result is the one destination.

A row is all that such an operation needs: its name and its mnemonic. Source: the public table of simple operations.
"""

from __future__ import annotations

from typing import Final

_ROWS: Final = (
    # Element-wise, tile by tile.
    ("add", "tadd"),
    ("sub", "tsub"),
    ("mul", "tmul"),
    ("rem", "trem"),
    ("part_add", "tpartadd"),
    ("part_mul", "tpartmul"),
    ("part_max", "tpartmax"),
    ("part_min", "tpartmin"),
    ("fmod", "tfmod"),
    ("and", "tand"),
    ("or", "tor"),
    ("xor", "txor"),
    ("shl", "tshl"),
    ("shr", "tshr"),
    ("maximum", "tmax"),
    ("minimum", "tmin"),
    ("addc", "taddc"),
    ("subc", "tsubc"),
    ("concat", "tconcat"),
    # Element-wise, one tile.
    ("abs", "tabs"),
    ("exp", "texp"),
    ("sqrt", "tsqrt"),
    ("rsqrt", "trsqrt"),
    ("neg", "tneg"),
    ("not", "tnot"),
    ("relu", "trelu"),
    ("fillpad", "tfillpad"),
    ("fillpad_inplace", "tfillpad"),
    # Tile and scalar.
    ("adds", "tadds"),
    ("subs", "tsubs"),
    ("muls", "tmuls"),
    ("divs", "tdivs"),
    ("rems", "trems"),
    ("fmods", "tfmods"),
    ("ands", "tands"),
    ("ors", "tors"),
    ("xors", "txors"),
    ("shls", "tshls"),
    ("shrs", "tshrs"),
    ("maximums", "tmaxs"),
    ("minimums", "tmins"),
    ("lrelu", "tlrelu"),
    ("addsc", "taddsc"),
    ("subsc", "tsubsc"),
    # Selection.
    ("sel", "tsel"),
    ("sels", "tsels"),
    ("prelu", "tprelu"),
    # Reductions.
    ("row_sum", "trowsum"),
    ("row_max", "trowmax"),
    ("row_min", "trowmin"),
    ("row_prod", "trowprod"),
    ("col_max", "tcolmax"),
    ("col_min", "tcolmin"),
    ("col_prod", "tcolprod"),
    ("row_argmax", "trowargmax"),
    ("row_argmin", "trowargmin"),
    ("col_argmax", "tcolargmax"),
    ("col_argmin", "tcolargmin"),
    # Broadcasts.
    ("col_expand_mul", "tcolexpandmul"),
    ("col_expand_add", "tcolexpandadd"),
    ("col_expand_div", "tcolexpanddiv"),
    ("col_expand_sub", "tcolexpandsub"),
    ("col_expand_max", "tcolexpandmax"),
    ("col_expand_min", "tcolexpandmin"),
    ("col_expand_expdif", "tcolexpandexpdif"),
    ("row_expand_div", "trowexpanddiv"),
    ("row_expand_mul", "trowexpandmul"),
    ("row_expand_sub", "trowexpandsub"),
    ("row_expand_add", "trowexpandadd"),
    ("row_expand_max", "trowexpandmax"),
    ("row_expand_min", "trowexpandmin"),
    ("row_expand_expdif", "trowexpandexpdif"),
    # Products.
    ("matmul", "tmatmul"),
    ("matmul_bias", "tmatmul.bias"),
    ("matmul_mx", "tmatmul.mx"),
    ("matmul_mx_bias", "tmatmul.mx.bias"),
    # Gathers and sorts.
    ("gather", "tgather"),
    ("gatherb", "tgatherb"),
    ("sort32", "tsort32"),
)

INSTRUCTIONS: Final[dict[str, str]] = {f"tile.{operation}": f"pto.{mnemonic}" for operation, mnemonic in _ROWS}
