# SPDX-License-Identifier: Apache-2.0
"""The project speaks only of itself; `tools/words.py` knows what else a text could let slip."""

from __future__ import annotations

import pytest
import words

TEXTS = dict(words.checked_in_texts(words.ROOT))


def test_no_checked_in_text_speaks_of_anything_else():
    found = [place for name, text in TEXTS.items() for place in words.foreign_words(name, text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", ["README.md", "pyproject.toml", "tools/words.py", "tests/lint/test_words.py"])
def test_code_documents_and_settings_are_all_looked_at(name: str):
    assert name in TEXTS


@pytest.mark.parametrize(
    "text",
    [
        "cd /" + "home/kim/x",
        "'/" + "root/.cache'",
        "see ../" + "shared",
        "https://pyp" + "i.org/simple",
        "by an LL" + "M",
    ],
)
def test_a_foreign_word_is_found_with_its_line(text: str):
    (place,) = words.foreign_words("README.md", f"fine\n{text}")
    assert place.startswith("README.md:2: ")


@pytest.mark.parametrize(
    "text", ["~/" + "home/", "{tox_root}/" + "tmp/", "$HOME/" + "work/", "out/" + "root/x", "the home of a function"]
)
def test_ordinary_words_and_relative_paths_are_fine(text: str):
    assert list(words.foreign_words("README.md", text)) == []
