# SPDX-License-Identifier: Apache-2.0
"""Loading a source: run the user's module, find the programs in it, and note which local modules it imported.

The module is run as Python runs it; function bodies are not, the decorators read their text. Local modules are those
found beside the source or in the search path; they are loaded afresh each time, so a worker never works on an old one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
import sys
import traceback
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from io import StringIO
from pathlib import Path
from types import ModuleType

from pypto_build.driver.aliases import answering_pypto
from pypto_build.driver.programs import chosen_program
from pypto_build.dsl.blame import is_ours, text_of
from pypto_build.errors import InternalError, Span, UserError
from pypto_build.host.fresh_source import FreshSourceLoader
from pypto_build.ir import Program

MODULE_PREFIX = "__pypto_source__"


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """A loaded source: its one program, and the local modules that it imported, as absolute paths.

    `read` has the SHA-256 of each text as it was when it was read, the source's own included: files may be edited while
    they are compiled.
    """

    path: Path
    program: Program
    imports: tuple[Path, ...]
    read: Mapping[str, str]


def load_source(
    path: Path, search_path: Sequence[Path] = (), *, entry: str | None = None, arguments: Sequence[str] = ()
) -> LoadedSource:
    """Load the program of a source; `entry` picks one of several, `arguments` are those of a `@pl.jit` one.

    Raises:
        UserError: the file cannot be read or run, or holds no program, or several, or is given wrong arguments.
    """
    if not path.is_file():
        raise UserError("SRC001", f"there is no source {path}")
    finder = _LocalFinder([path.parent.resolve(), *(p.resolve() for p in search_path)])
    with answering_pypto(), finder.active():
        module = _run(path, finder.read)
        program = chosen_program(module, path, entry=entry, arguments=arguments)
    return LoadedSource(path, program, tuple(sorted(finder.found)), finder.read)


def _run(path: Path, read: dict[str, str]) -> ModuleType:
    name = f"{MODULE_PREFIX}{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_NotingLoader(name, str(path), read))
    if spec is None or spec.loader is None:
        raise UserError("SRC001", f"{path} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # decorators look their module up
    try:
        spec.loader.exec_module(module)
    except SyntaxError as problem:
        help = "Python cannot read the file; it says where it stopped"
        raise UserError("SRC002", f"syntax error: {problem.msg}", _place_of(problem, path), help=help) from problem
    except (UserError, InternalError):
        raise
    except (Exception, SystemExit) as problem:
        if is_ours(problem):
            raise
        place = _place_in(problem, path)
        help = "Python runs the module before kernels are read: it must import without an error"
        message = f"{type(problem).__name__} while loading: {text_of(problem)}"
        raise UserError("SRC003", message, place, help=help) from problem
    finally:
        sys.modules.pop(name, None)
    return module


def _place_of(problem: SyntaxError, path: Path) -> Span:
    """Where Python stopped reading; it counts bytes now and then, so a column ends with its line."""
    text = (problem.text or "").rstrip("\r\n")
    column = max(1, problem.offset or 1)
    return Span(problem.filename or str(path), problem.lineno or 1, min(column, len(text) + 1) if text else column)


def _place_in(problem: BaseException, path: Path) -> Span:
    """Where the source was when an exception left it."""
    last, trace = None, problem.__traceback__
    while trace is not None:
        last = trace if trace.tb_frame.f_code.co_filename == str(path) else last
        trace = trace.tb_next
    if last is None:
        return Span(str(path), 1, 1)
    frame = traceback.extract_tb(last, limit=1)[0]
    return Span(str(path), frame.lineno or 1, (frame.colno or 0) + 1)


class _NotingLoader(FreshSourceLoader):
    """Notes the digest of what it reads, and shows the same text to decorators, which ask for it by its lines."""

    def __init__(self, name: str, path: str, read: dict[str, str]) -> None:
        super().__init__(name, path)
        self._read = read

    def get_data(self, path: str) -> bytes:
        """See SourceFileLoader."""
        content = super().get_data(path)
        self._read[path] = hashlib.sha256(content).hexdigest()
        with suppress(SyntaxError, UnicodeDecodeError):  # Python will say so itself
            lines = StringIO(importlib.util.decode_source(content)).readlines()
            linecache.cache[path] = (len(content), None, lines, path)
        return content


class _LocalFinder(MetaPathFinder):
    """Finds modules in the given directories, remembers them, and forgets them when the source is loaded."""

    def __init__(self, directories: list[Path]) -> None:
        self._directories = [str(directory) for directory in directories]
        self._names: list[str] = []
        self.found: set[Path] = set()
        self.read: dict[str, str] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a local module, or None."""
        del target
        if path is not None and not all(self._is_local(place) for place in path):
            return None
        spec = PathFinder.find_spec(fullname, self._directories if path is None else path)
        if spec is None or (spec.origin is None and spec.submodule_search_locations is None):
            return None
        self._names.append(fullname)
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = _NotingLoader(fullname, spec.loader.path, self.read)
        if spec.origin is not None:
            self.found.add(Path(spec.origin))
        return spec

    def _is_local(self, place: str) -> bool:
        return any(place == root or place.startswith(root + "/") for root in self._directories)

    @contextmanager
    def active(self) -> Generator[None]:
        """Answer imports until the end of the block."""
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            for name in self._names:
                sys.modules.pop(name, None)
