# SPDX-License-Identifier: Apache-2.0
"""What one run of SCons shares between its targets: the store, the fingerprints, the workers, the options."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pypto_build.driver.deep import DeepKeys, fingerprinter, implementation_digest
from pypto_build.driver.request import CompileResult
from pypto_build.errors import Diagnostic, UserError, render, render_diagnostic
from pypto_build.scons.modules import scons
from pypto_build.scons.pool import WorkerPool
from pypto_build.scons.tree_lock import hold_tree
from pypto_build.store.fingerprint import Fingerprinter
from pypto_build.store.gc import start_if_due
from pypto_build.store.interface import mode_named
from pypto_build.store.layout import StoreLayout
from pypto_build.store.limits import store_limits
from pypto_build.store.local import LocalStore
from pypto_build.store.location import store_location


@dataclass(frozen=True)
class BuildRun:
    """One store, one set of fingerprints, one pool for all targets of a run."""

    root: Path
    mode: str
    jobs: int

    @cached_property
    def store(self) -> LocalStore:
        """The store; says once on stderr when it cannot be written."""
        return LocalStore(self.root, mode=mode_named(self.mode), on_warning=_warn)

    @cached_property
    def fingerprints(self) -> Fingerprinter:
        """The fingerprints of this run."""
        return fingerprinter(StoreLayout(self.root).index)

    @cached_property
    def implementation(self) -> str:
        """What our own code is."""
        digest = implementation_digest(self.fingerprints)
        if mode_named(self.mode).writes:
            self.fingerprints.save()
        return digest

    @cached_property
    def deep(self) -> DeepKeys:
        """Look-ups of whole objects."""
        return DeepKeys(self.store, self.fingerprints, self.implementation)

    @cached_property
    def _said(self) -> set[str]:
        return set()

    def say(self, messages: Iterable[str]) -> None:
        """Print warnings and hints, each once in a run: variants of one source have the same ones."""
        with _lock:
            new = [message for message in dict.fromkeys(messages) if message not in self._said]
            self._said.update(new)
        for message in new:
            print(message, file=sys.stderr)

    @cached_property
    def results(self) -> dict[str, CompileResult]:
        """What became of the objects that this run made or looked up, by their paths."""
        return {}

    @cached_property
    def reports_passes(self) -> threading.Event:
        """Set when somebody wants to know what each pass did."""
        return threading.Event()

    def finish(self) -> None:
        """At the end of a run that made something: start a collection of the store when one is due."""
        if self.results and mode_named(self.mode).writes:
            start_if_due(StoreLayout(self.root), store_limits(os.environ))

    @cached_property
    def pool(self) -> WorkerPool:
        """The worker processes."""
        return WorkerPool(self.jobs)


_runs: dict[tuple[str, str], BuildRun] = {}
_lock = threading.Lock()


def build_run(env: Any) -> BuildRun:
    """The run that an environment belongs to: the same one for every target with the same store."""
    get_option = scons("Script").GetOption

    root = store_location(os.environ, env.subst("$PTOSTORE") or None)
    mode = get_option("pto_store") or env.subst("$PTOSTOREMODE") or "write"
    with _lock:
        key = (str(root), mode)
        if key not in _runs:
            _runs[key] = BuildRun(root, mode, int(get_option("num_jobs")))
            atexit.register(_runs[key].finish)
        return _runs[key]


def implementation(env: Any) -> str:
    """What our own code is, for the signature of every action; a bad store is reported as such."""
    try:
        return build_run(env).implementation
    except UserError as error:
        raise stop(error) from None


def stop(error: UserError) -> Exception:
    """A user's mistake in the SConstruct itself, as SCons shows it."""
    errors = scons("Errors")

    return errors.UserError(render(error))


def lock_tree(env: Any) -> None:
    """Wait until no other SCons builds in this tree; not for a run that only looks."""
    get_option = scons("Script").GetOption
    if get_option("no_exec") or get_option("question") or get_option("help"):
        return
    try:
        hold_tree(env.Dir("#").get_abspath(), say=lambda text: print(f"scons: {text}", file=sys.stderr, flush=True))
    except UserError as error:
        raise stop(error) from None


def timeout(env: Any) -> float:
    """How long a worker may take for one request, in seconds."""
    text = env.subst("$PTOTIMEOUT")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        help = "write seconds, such as PTOTIMEOUT=600"
        raise stop(UserError("SCONS001", f"PTOTIMEOUT is {text!r}, which is no time", help=help))
    return seconds


_OPTIONS_ADDED: list[bool] = []


def add_options() -> None:
    """The tool's command-line options, once for all environments."""
    if _OPTIONS_ADDED:
        return
    _OPTIONS_ADDED.append(True)
    add_option = scons("Script").AddOption

    add_option(
        "--pto-explain",
        dest="pto_explain",
        action="store_true",
        default=False,
        help="say for each object which passes ran and why",
    )
    add_option(
        "--pto-store",
        dest="pto_store",
        metavar="MODE",
        default="",
        help="use the store: off, read, write, refresh or verify",
    )


def explaining() -> bool:
    """Whether `--pto-explain` was given."""
    get_option = scons("Script").GetOption

    return bool(get_option("pto_explain"))


def _warn(diagnostic: Diagnostic) -> None:
    print(render_diagnostic(diagnostic), file=sys.stderr)
