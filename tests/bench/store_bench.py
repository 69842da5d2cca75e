# SPDX-License-Identifier: Apache-2.0
"""What the store costs: keys, records, bodies, chains, a cold and a warm fingerprint; what making bodies again costs.

Run it by itself (`python tests/bench/store_bench.py`); the last column is the ratio to opening, reading and closing a
small file, which is the least that any store on disk must do. The numbers in `store/policy.py` come from here.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

from pypto_build import ir
from pypto_build.driver.load import load_source
from pypto_build.driver.toolchain import Toolchain, toolchain
from pypto_build.pipeline.bodies import Bodies
from pypto_build.pipeline.cache import StoreCache
from pypto_build.pipeline.run import Run
from pypto_build.store import (
    ChainEntry,
    ChainRecord,
    Fingerprinter,
    Key,
    KeyPrefix,
    LocalStore,
    Status,
    package_roots,
    record_of,
)

EXAMPLES = [Path(__file__).parents[2] / "examples" / f"{name}.py" for name in ("softmax", "layer_norm", "matmul")]
BODY_SIZES = (1_000, 5_000, 50_000, 500_000)


def digest_of(number: int) -> str:
    """A digest like any other."""
    return hashlib.sha256(b"%d" % number).hexdigest()


def text_like(size: int, seed: int) -> bytes:
    """Bytes that compress about as well as serialized IR: some ten to one."""
    words = [digest_of(seed * 7 + index)[:8] for index in range(40)]
    line = " ".join(words[(seed + index) % 40] + str(index % 9) for index in range(60))
    return (f"{seed} {line}\n" * (size // len(line) + 2)).encode()[:size]


def per_call(run: Callable[[int], object], count: int) -> float:
    """Microseconds of one call, the best of three rounds; each call gets another number."""
    best = float("inf")
    for turn in range(3):
        started = time.perf_counter()
        for number in range(turn * count, (turn + 1) * count):
            run(number)
        best = min(best, (time.perf_counter() - started) / count * 1e6)
    return best


def prefix() -> KeyPrefix:
    """The components that all functions share in one pass."""
    options = {"iterations": 4, "modes": ("a", "b")}
    return KeyPrefix(
        (
            ("pass", "simplify"),
            ("implementation", digest_of(1)),
            ("options", options),
            ("context", {"hardware": digest_of(2)}),
        )
    )


def key_of(number: int, shared: KeyPrefix) -> Key:
    """The key of the pass on one function."""
    own = (("function", digest_of(number)), ("callees", {"f": digest_of(3), "g": digest_of(4)}))
    return Key("pass", own, prefix=shared)


def key_and_record_costs(store: LocalStore) -> Iterable[tuple[str, float]]:
    """Keys and records."""
    shared = prefix()
    keys = [key_of(number, shared) for number in range(3000)]
    yield "key with a prefix", per_call(lambda number: key_of(number, shared), 1000)
    ref = store.put_body(b"x")
    records = [record_of(key, (("ir", ref),), cost_ms=1.0, created=1, producer="bench") for key in keys]
    yield "put_record", per_call(lambda number: store.put_record(records[number]), 1000)
    yield "get_record, hit", per_call(lambda number: store.get_record(keys[number].digest), 1000)
    yield "get_record, miss", per_call(lambda number: store.get_record(digest_of(number)), 1000)


def body_costs(store: LocalStore) -> Iterable[tuple[str, float]]:
    """Bodies by size."""
    for size in BODY_SIZES:
        count = 200 if size <= 50_000 else 20
        bodies = [text_like(size, number) for number in range(3 * count)]
        yield f"put_body, {size} bytes", per_call(lambda number, b=bodies: store.put_body(b[number]), count)
        refs = [store.put_body(body) for body in bodies]
        yield f"get_body, {size} bytes", per_call(lambda number, r=refs: store.get_body(r[number]), count)


def remake_costs(place: Path) -> Iterable[tuple[str, float]]:
    """Making the final functions of some examples with the passes of the standard pipeline, beside keeping them."""
    tools = toolchain("default")
    totals, kilobytes = [0.0, 0.0, 0.0], 0.0
    for source in EXAMPLES:
        program = load_source(source).program
        rounds = [body_round(program, tools, StoreCache(LocalStore(place), str(source))) for _ in range(3)]
        best = [min(times) for times in zip(*(times for times, _ in rounds), strict=True)]
        totals = [total + one for total, one in zip(totals, best, strict=True)]
        kilobytes += rounds[0][1] / 1000
    for name, total in zip(("passes", "body kept", "body loaded"), totals, strict=True):
        yield f"{name}, each KB of it", total / kilobytes


def body_round(program: ir.Program, tools: Toolchain, cache: StoreCache) -> tuple[list[float], int]:
    """Microseconds of all passes, of keeping every final function and of loading it; the bytes of those functions."""
    marks = [time.perf_counter()]
    run = Run(program, tools.context())
    states = run.through(tools.steps).states
    marks.append(time.perf_counter())
    bodies = Bodies(run.places, cache)
    size = sum(len(bodies.keep(name, state.body())) for name, state in states.items())
    marks.append(time.perf_counter())
    for name in states:
        bodies.load(name)
    marks.append(time.perf_counter())
    return [1e6 * (after - before) for before, after in pairwise(marks)], size


def chain_costs(store: LocalStore) -> Iterable[tuple[str, float]]:
    """The chain of a source with 49 passes and three functions."""
    shared = prefix()
    entries = tuple(
        ChainEntry(f"pass{step}", f"f{function}", key.digest, key.components, digest_of(5), digest_of(6), Status.RAN)
        for step in range(49)
        for function in range(3)
        for key in [key_of(step * 3 + function, shared)]
    )
    chains = [ChainRecord(f"source{number}.py", entries) for number in range(60)]
    yield "put_chain, 147 entries", per_call(lambda number: store.put_chain(chains[number]), 20)
    yield "get_chain, 147 entries", per_call(lambda number: store.get_chain(f"source{number}.py"), 20)


def fingerprint_costs(place: Path) -> Iterable[tuple[str, float]]:
    """All of our own packages, first with no index and then with one."""
    names = ("pypto_build", "pypto_passes", "pypto_targets", "pypto_simulators")
    later = time.time_ns() + 3_600_000_000_000
    modules = [f"{name}.plugin" for name in names[1:]] + ["pypto_build.store", "pypto_build.ir", "pypto_build.dsl"]

    def fingerprint(path: Path) -> Fingerprinter:
        made = Fingerprinter(path, package_roots(*names), now_ns=lambda: later)
        for name in modules:
            if made.knows(name):
                made.module(name)
        return made

    yield "fingerprints, cold", per_call(lambda number: fingerprint(place / f"cold{number}"), 1)
    fingerprint(place / "warm").save()
    os.utime(place / "warm", ns=(later, later))
    yield "fingerprints, warm", per_call(lambda _: fingerprint(place / "warm"), 3)


def main() -> None:
    """Print one line per cost."""
    with tempfile.TemporaryDirectory() as scratch:
        small = Path(scratch, "small")
        small.write_bytes(b"x" * 800)
        unit = per_call(lambda _: small.read_bytes(), 2000)
        print(f"{'open, read, close a small file':<34}{unit:>12.1f} us{1.0:>10.1f} x")
        store = LocalStore(Path(scratch, "store"))
        costs = [
            key_and_record_costs(store),
            body_costs(store),
            remake_costs(Path(scratch, "bodies")),
            chain_costs(store),
            fingerprint_costs(Path(scratch)),
        ]
        for group in costs:
            for name, cost in group:
                print(f"{name:<34}{cost:>12.1f} us{cost / unit:>10.1f} x")


if __name__ == "__main__":
    main()
