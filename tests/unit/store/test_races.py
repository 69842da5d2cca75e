# SPDX-License-Identifier: Apache-2.0
"""Processes that share a store, and processes that die in it."""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from pypto_build.store.gc import collect
from pypto_build.store.inspection import verify_all
from pypto_build.store.key import Key
from pypto_build.store.limits import Limits
from pypto_build.store.local import LocalStore
from pypto_build.store.record import Record, record_of

ROUNDS = 1000
KEY = Key("pass", (("pass", "race"),))
STEPS = ("open", "write", "close", "replace", "mkdir", "unlink", "utime")


def fork(work: Callable[[], object]) -> int:
    """Run `work` in a process of its own; its status is 0 unless it raises."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def put_group(store: LocalStore, writer: str, number: int) -> Record:
    """A record whose two bodies must come from the same writer and round."""
    outputs = tuple((role, store.put_body(f"{writer} {number}".encode() * 20 + role.encode())) for role in ("a", "b"))
    made = record_of(KEY, outputs, producer=f"{writer} {number}")
    store.put_record(made)
    return made


def group_is_whole(store: LocalStore) -> bool:
    """Whether a reader sees nothing, or both bodies of one writer."""
    record = store.get_record(KEY.digest)
    if record is None:
        return True
    bodies = [store.get_body(ref) for ref in record.bodies()]
    return bodies == [record.producer.encode() * 20 + role for role in (b"a", b"b")]


def test_two_writers_of_one_key_never_show_a_reader_half_a_result(store: LocalStore):
    children = [
        fork(lambda writer=writer: [put_group(store, writer, number % 50) for number in range(ROUNDS)])
        for writer in ("left", "right")
    ]
    seen = [group_is_whole(store) for _ in range(ROUNDS)]
    statuses = [os.waitpid(child, 0)[1] for child in children]
    assert all(seen)
    assert statuses == [0, 0]
    assert store.get_record(KEY.digest) is not None
    assert verify_all(store.layout).bad == ()


def test_a_build_beside_the_collector_and_a_clearing_never_sees_a_wrong_result(store: LocalStore):
    limits = Limits(max_bytes=0, max_age_s=0, grace_s=-1)
    children = [
        fork(lambda: [put_group(store, "only", number % 50) for number in range(ROUNDS)]),
        fork(lambda: [collect(store.layout, limits, now=time.time()) for _ in range(40)]),
    ]
    seen = [record_or_nothing(store) for _ in range(ROUNDS)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert all(seen)


def record_or_nothing(store: LocalStore) -> bool:
    """Whether whatever is found is right; anything may be missing."""
    record = store.get_record(KEY.digest)
    bodies = (
        []
        if record is None
        else [(record, role, store.get_body(ref)) for role, ref in zip("ab", record.bodies(), strict=True)]
    )
    return all(body in (None, found.producer.encode() * 20 + role.encode()) for found, role, body in bodies)


def die_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the process vanish just before its `step`-th call that changes the disk, as kill -9 would."""
    count = itertools.count()

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object, **options: object) -> object:
            if next(count) == step:
                os._exit(9)
            return call(*arguments, **options)

        return run

    for name in STEPS:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))


@pytest.mark.parametrize("step", range(24))
def test_a_writer_that_dies_at_any_step_leaves_a_sound_store(
    store: LocalStore, record: Record, step: int, monkeypatch: pytest.MonkeyPatch
):
    def work() -> None:
        die_at(step, monkeypatch)
        put_group(LocalStore(store.layout.root), "dying", step)

    os.waitpid(fork(work), 0)
    assert group_is_whole(store)
    assert verify_all(store.layout).bad == ()
    assert store.get_record(put_group(store, "living", step).key) is not None
    assert store.get_record(record.key) == record


def test_writers_killed_at_random_moments_leave_a_sound_store(store: LocalStore):
    moments = random.Random(7)

    def work() -> NoReturn:
        for number in itertools.count():
            put_group(store, "killed", number % 200)
        raise AssertionError("unreachable")

    for _ in range(25):
        child = fork(work)
        time.sleep(moments.uniform(0.001, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert group_is_whole(store)
    assert verify_all(store.layout).bad == ()


def test_what_dead_writers_left_behind_goes_after_a_day(store: LocalStore):
    left = Path(store.layout.staging, "123-4-abcd")
    left.write_bytes(b"half a fi")
    collect(store.layout, Limits(), now=time.time())
    assert left.exists()
    collect(store.layout, Limits(), now=time.time() + 90_000)
    assert not left.exists()
