# SPDX-License-Identifier: Apache-2.0
"""Our errors under their public names."""

import pytest

from pypto_build.compat import public_errors
from pypto_build.errors import UNKNOWN_SPAN, Span, UserError


def sentence_of(span: Span) -> str:
    with pytest.raises(public_errors.ValueError) as caught, public_errors.translated():
        raise UserError("X001", "no such layout", span)
    return str(caught.value)


def test_a_public_error_says_where_it_belongs():
    assert sentence_of(Span("a.py", 3, 7)) == "no such layout [a.py:3:7]"


def test_a_public_error_without_a_place_is_only_the_sentence():
    assert sentence_of(UNKNOWN_SPAN) == "no such layout"
