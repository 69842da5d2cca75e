# SPDX-License-Identifier: Apache-2.0
"""A store of its own for each test, and results to put into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pypto_build.errors import Diagnostic, Span
from pypto_build.store.chain import ChainEntry, ChainRecord, Status
from pypto_build.store.key import Key
from pypto_build.store.local import LocalStore
from pypto_build.store.record import SAME_AS_INPUT, BodyRef, Record, record_of

WARNING = Diagnostic("warning", "unused", "w is never read", Span("k.py", 3, 5), "W001", 7, "remove it")


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "store")


@pytest.fixture
def make_key() -> Callable[[object], Key]:
    return lambda number: Key("pass", (("pass", "fold"), ("function", number)))


@pytest.fixture
def record(store: LocalStore) -> Record:
    """A record in `store`, with one body."""
    made = record_of(
        Key("pass", (("pass", "fold"), ("options", {"level": 3}))),
        (("ir", store.put_body(b"body " * 100)), ("locations", SAME_AS_INPUT)),
        diagnostics=(WARNING,),
        facts=(("summary", {"reads": ("a", "b"), "ratio": 0.5}),),
        cost_ms=12.5,
        created=1_700_000_000,
        producer="tests",
    )
    store.put_record(made)
    return made


@pytest.fixture
def body(record: Record) -> BodyRef:
    return record.bodies()[0]


@pytest.fixture
def chain(store: LocalStore) -> ChainRecord:
    """A chain record in `store`."""
    options = {"level": 3}
    entries = tuple(
        ChainEntry(
            step,
            function,
            key.digest,
            key.components,
            "1" * 64,
            "2" * 64,
            Status.RAN,
            reason="first run",
            cost_ms=1.5,
            diagnostics=(WARNING,),
            facts=(("same", False),),
        )
        for step in ("fold", "split")
        for function in ("f", "g")
        for key in [
            Key("pass", (("pass", step), ("options", options), ("function", function), ("one", 1), ("on", True)))
        ]
    )
    made = ChainRecord("kernels/a b.py", entries)
    store.put_chain(made)
    return made
