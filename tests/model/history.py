# SPDX-License-Identifier: Apache-2.0
"""A random history of one project: edits, disturbances and builds, each compared with a build from nothing.

Two things must hold after every step. The object, its source map and everything that was said are those of a build
without a store, byte for byte. And no pass ran on a function under a key that the last build had on record, unless the
store was damaged in between: that is what "nothing is done twice" means.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from unittest.mock import patch

from pypto_build.driver import services
from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest, CompileResult
from pypto_build.errors import UserError, UserErrors, render
from pypto_build.pipeline.cache import CHECKS_STEP, OLDER
from pypto_build.pipeline.relatives import BODIES_STEP
from pypto_build.store.chain import Status
from pypto_build.store.inspection import verify_all
from pypto_build.store.interface import Mode
from pypto_build.store.layout import StoreLayout
from pypto_build.store.local import LocalStore

from .disturbances import DAMAGE, MADE, full_disk, in_child, killed, read_only_disk, set_clocks
from .project import EDITS, Project


@dataclass(frozen=True, slots=True)
class Made:
    """What a build left behind: the object, the source map, and what was said; or the error alone."""

    object: bytes
    map: bytes
    said: tuple[str, ...]


@dataclass
class Counts:
    """What histories were made of: steps, results of passes that were made or reused, objects that were found whole."""

    steps: int = 0
    ran: int = 0
    reused: int = 0
    found: int = 0

    def __str__(self) -> str:
        return f"{self.steps} steps, {self.ran} results made, {self.reused} reused, {self.found} objects found whole"


class History:
    """One project in its directory, with its store."""

    def __init__(self, place: Path, seed: int, counts: Counts) -> None:
        self.random = Random(seed)
        self.place = place
        self.store = place / "store"
        self.project = Project()
        self.counts = counts
        self.log: list[str] = []
        self._written: dict[str, str] = {}
        self._known: dict[bool, frozenset[str]] = {}  # keys of the last recorded build, with the variant or without
        self._built: Project | None = None  # the last recorded one
        self._sound = True  # no entry of the store is damaged that nobody has read since
        self._clean: dict[Project, Made] = {}

    def run(self, steps: int) -> None:
        """Take some steps; an AssertionError tells the whole history."""
        try:
            self.build()
            for _ in range(steps):
                self.step()
        except BaseException as problem:
            problem.add_note("history: " + ", ".join(self.log))
            raise

    def step(self) -> None:
        """Edit, or disturb, and build."""
        kinds: tuple[Callable[[], None], ...] = (
            *((self.edit,) * 8),
            self.damage,
            self.move_clocks,
            self.build_on_a_full_disk,
            self.build_on_a_read_only_disk,
            self.build_killed,
            self.build_in_company,
            self.build_in_another_mode,
        )
        self.random.choice(kinds)()
        self.build()
        self.counts.steps += 1

    # -- what happens --------------------------------------------------------------------------------------------------

    def edit(self) -> None:
        """Change one or two things."""
        for name in self.random.sample(sorted(EDITS), self.random.choice((1, 1, 2))):
            self.log.append(name)
            self.project = EDITS[name](self.project, self.random)

    def damage(self) -> None:
        """Something befalls the store; what it knew may be gone."""
        kind = self.random.choice(DAMAGE)
        self.log.append(kind.__name__)
        if self.store.exists():
            kind(self.store, self.random)
        self._sound = self.random.random() < 0.5
        if self._sound:
            self.log.append("verified")
            verify_all(StoreLayout(self.store))
        self._known.clear()
        self._built = None

    def move_clocks(self) -> None:
        """The times of all files change, their content does not."""
        self.log.append("clocks")
        set_clocks(self.place, self.random)

    def build_on_a_full_disk(self) -> None:
        """An edit is built while there is no room."""
        self.edit()
        self.log.append("full")
        with full_disk(self.random.randrange(8)):
            self.compare(self.incremental())
        self._built = None

    def build_on_a_read_only_disk(self) -> None:
        """An edit is built while nothing can be stored."""
        self.edit()
        self.log.append("read-only")
        with read_only_disk():
            self.compare(self.incremental())

    def build_killed(self) -> None:
        """A build of an edit dies somewhere."""
        self.edit()
        moment = self.random.randrange(40)
        self.log.append(f"killed at {moment}")
        self.write()
        killed(self.incremental, moment)
        self._built = None

    def build_in_company(self) -> None:
        """Others build the same, and with the other pipeline, at the same time; then only the front end has work.

        Where an object was found whole nobody made it again, and how it was made may be forgotten.
        """
        self.edit()
        self.log.append("company")
        self.write()
        others = [in_child(lambda name=name: self.is_made(name, self.project)) for name in ("left", "right")]
        other = replace(self.project, variant=not self.project.variant)
        others.append(in_child(lambda: self.is_made("other", other)))
        made = {self.project: self.is_made("built", self.project)}
        made[other] = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in others][-1] == MADE
        remark = f"in company {self.counts.steps}"
        for project in (other, self.project):
            self.project = replace(project, source_remark=remark)
            done = self.incremental()
            self.compare(done)
            if done[1] is not None and made[project]:
                assert done[1].passes_run == 0, f"{done[1].ran} ran again after a build in company"
        self._built = None

    def is_made(self, output: str, project: Project) -> bool:
        """Build, and say whether the object was made rather than found whole or refused."""
        done = self.incremental(output=output, project=project)
        if output == "built":
            self.compare(done)
        return done[1] is not None and not done[1].found

    def build_in_another_mode(self) -> None:
        """An edit is built with the store read only, replaced or checked."""
        self.edit()
        mode = self.random.choice(("read", "refresh", "verify"))
        self.log.append(mode)
        self.compare(self.incremental(mode))
        self._built = None

    # -- building and comparing ----------------------------------------------------------------------------------------

    def build(self) -> None:
        """Build as usual, and hold the result against a clean one and the keys against those of the last build."""
        made, result = self.incremental()
        self.compare((made, result))
        if result is None:
            return
        if self._built == self.project and self._sound:
            assert result.found, "nothing had changed since the last build, and the store did not know the object"
        if result.found:
            self.counts.found += 1
            return
        self._check_keys(made)
        self._built = self.project

    def _check_keys(self, made: Made) -> None:
        chain = LocalStore(self.store, mode=Mode.READ).get_chain(json.loads(made.map)["id"])
        assert chain is not None
        entries = [e for e in chain.entries if e.reason != OLDER and e.pass_id not in (BODIES_STEP, CHECKS_STEP)]
        ran = [e for e in entries if e.status is Status.RAN]
        known = self._known.get(self.project.variant, frozenset[str]())
        again = [f"{e.pass_id} of {e.function}" for e in ran if e.key in known]
        assert not again, f"{again} ran under keys that the last build knew"
        self._known[self.project.variant] = frozenset(e.key for e in entries)
        self.counts.ran += len(ran)
        self.counts.reused += len(entries) - len(ran)

    def compare(self, done: tuple[Made, CompileResult | None]) -> None:
        """The result of a build is that of a build without a store."""
        if self.project not in self._clean:
            self._clean[self.project] = self.incremental("off", output="clean")[0]
        clean, made = self._clean[self.project], done[0]
        assert made.said == clean.said
        assert made.object == clean.object
        assert made.map == clean.map

    def incremental(
        self, mode: str = "write", *, output: str = "built", project: Project | None = None
    ) -> tuple[Made, CompileResult | None]:
        """Build as a process of its own would that has just started."""
        self.project = project or self.project
        self.write()
        services._kept_services.cache_clear()
        place = self.place / f"{output}.ptobj"
        request = CompileRequest(
            source=str(self.place / "kernel.py"),
            output=str(place),
            pipeline=str(self.place / self.project.pipeline),
            store=str(self.store),
            store_mode=mode,
            verify_rate=0,
        )
        try:
            result = compile_source(request)
        except (UserError, UserErrors) as error:
            return Made(b"", b"", (render(error),)), None
        return Made(place.read_bytes(), Path(request.map_output).read_bytes(), result.messages), result

    def write(self) -> None:
        """Write the files that differ from what they were; nothing else touches them."""
        self.place.mkdir(exist_ok=True)
        for name, text in self.project.files().items():
            if self._written.get(name) != text:
                (self.place / name).write_text(text, encoding="utf-8")
                self._written[name] = text


@contextmanager
def starting_quickly(place: Path) -> Iterator[None]:
    """Our own code is looked at once for all builds: it does not change, and looking takes longer than building."""
    shared = services.fingerprinter(StoreLayout(place).index)
    digest = services.implementation_digest(shared)
    with (
        patch.object(services, "fingerprinter", lambda _: shared),
        patch.object(services, "implementation_digest", lambda _: digest),
    ):
        yield
    services._kept_services.cache_clear()


def run_histories(place: Path, seeds: range, steps: int) -> Counts:
    """Run one history for each seed."""
    counts = Counts()
    with starting_quickly(place / "index"):
        for seed in seeds:
            History(place / f"history {seed}", seed, counts).run(steps)
    return counts
