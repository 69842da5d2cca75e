# SPDX-License-Identifier: Apache-2.0
"""`pypto.compile_profiling`: how long the stages of a compilation took."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar


@dataclass
class StageRecord:
    """One stage: when it began and ended, and the stages inside it."""

    name: str
    start: float = 0.0
    end: float = 0.0
    children: list[StageRecord] = field(default_factory=list)

    @property
    def duration(self) -> float:
        """Seconds; until now while the stage is open."""
        return (self.end or time.perf_counter()) - self.start

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        data: dict[str, Any] = {"name": self.name, "seconds": self.duration}
        if self.children:
            data["children"] = [child.to_dict() for child in self.children]
        return data


class _Current(threading.local):
    current: CompileProfiler | None = None


class CompileProfiler:
    """Collects stages while it is the current one of its thread."""

    _local: ClassVar[_Current] = _Current()

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._end = 0.0
        self._roots: list[StageRecord] = []
        self._open: list[StageRecord] = []
        self._outer: CompileProfiler | None = None

    @classmethod
    def current(cls) -> CompileProfiler | None:
        """The profiler of this thread."""
        return cls._local.current

    def __enter__(self) -> CompileProfiler:
        self._outer = self._local.current
        self._local.current = self
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end = time.perf_counter()
        self._local.current = self._outer

    def make_current(self) -> None:
        """Be the profiler of this thread."""
        self._local.current = self

    @property
    def total_seconds(self) -> float:
        """Seconds from beginning to end, or until now."""
        return (self._end or time.perf_counter()) - self._start

    @contextmanager
    def stage(self, name: str) -> Generator[StageRecord]:
        """A stage around a block."""
        record = self._begin_stage(name)
        try:
            yield record
        finally:
            self._end_stage()

    def add_stage_record(self, record: StageRecord) -> None:
        """A finished stage, inside the open one."""
        (self._open[-1].children if self._open else self._roots).append(record)

    def _begin_stage(self, name: str) -> StageRecord:
        record = StageRecord(name, time.perf_counter())
        self.add_stage_record(record)
        self._open.append(record)
        return record

    def _end_stage(self) -> None:
        self._open.pop().end = time.perf_counter()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"total_seconds": self.total_seconds, "stages": [stage.to_dict() for stage in self._roots]}

    def to_json(self, path: str | None = None) -> str:
        """JSON text, written to a file as well if one is named."""
        text = json.dumps(self.to_dict(), indent=2)
        if path is not None:
            Path(path).write_text(text)
        return text

    def summary(self) -> str:
        """A table."""
        rows = ["PyPTO Compile Profile", f"Total: {self.total_seconds:.3f} s"]
        pending = [(stage, 1) for stage in reversed(self._roots)]
        while pending:
            stage, depth = pending.pop()
            share = 100 * stage.duration / self.total_seconds if self.total_seconds else 0.0
            rows.append(f"{'  ' * depth}{stage.name:<30} {stage.duration:9.3f} s {share:5.1f}%")
            pending.extend((child, depth + 1) for child in reversed(stage.children))
        return "\n".join(rows)

    def write_report(self, directory: str) -> None:
        """The table and the JSON text in a directory."""
        target = Path(directory)
        target.mkdir(parents=True, exist_ok=True)
        (target / "pipeline_profile.txt").write_text(self.summary())
        self.to_json(str(target / "pipeline_profile.json"))


_env_profiler: CompileProfiler | None = None


def get_active_profiler() -> CompileProfiler | None:
    """The profiler of this thread; with PYPTO_COMPILE_PROFILING=1 there always is one."""
    current = CompileProfiler.current()
    if current is not None or os.environ.get("PYPTO_COMPILE_PROFILING") != "1":
        return current
    import sys

    module = sys.modules.get("pypto.compile_profiling") or sys.modules[__name__]
    made = getattr(module, "_env_profiler", None) or CompileProfiler()
    module._env_profiler = made  # type: ignore[attr-defined]  # a name of the module
    made.make_current()
    return made
