# SPDX-License-Identifier: Apache-2.0
"""The plugins of one run and what became of each: built in, asked for by name, or found among what is installed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pypto_build.errors import Span, UserError
from pypto_build.host.attribution import describe, raised_at
from pypto_build.host.discovery import (
    HostOptions,
    PluginRequest,
    built_in_candidates,
    installed_candidates,
    is_path,
    local_candidate,
)
from pypto_build.host.loading import PluginLoader, read_plugin
from pypto_build.host.paths import shown_path
from pypto_build.host.plugin import Candidate, Plugin, Source, State
from pypto_build.host.registry import REGISTERING_HOOKS, Contribution
from pypto_build.host.suggest import did_you_mean

COMMAND_LINE = Span("-p", -1, -1)
ALLOW_LIST = Span("PYPTO_BUILD_PLUGINS", -1, -1)


class Inventory:
    """Plugins by name. What is wrong with one that was asked for goes into `problems`, never into an exception."""

    def __init__(self, options: HostOptions, loader: PluginLoader) -> None:
        self.options = options
        self.problems: list[UserError] = []
        self._loader = loader
        self._plugins: dict[str, Plugin] = {}
        self._rivals: list[Plugin] = []
        self._unread: set[str] = set()
        self._installed: tuple[Candidate, ...] | None = None
        self._scanned = False
        for candidate in built_in_candidates(options):
            self._know(candidate)
        self._check_blocked()

    def __getitem__(self, name: str) -> Plugin:
        return self._plugins[name]

    def everyone(self) -> tuple[Plugin, ...]:
        """Every plugin known so far, two for a name that two distributions claim."""
        return (*self._plugins.values(), *self._rivals)

    def contributions(self) -> Iterable[Contribution]:
        """The names of all usable plugins."""
        return (one for plugin in self._plugins.values() if plugin.state is State.OK for one in plugin.contributions)

    def adopt(self, candidate: Candidate) -> Plugin:
        """Import a plugin unless it is blocked, and remember what became of it."""
        if candidate.name in self.options.block:
            plugin = Plugin(candidate, State.BLOCKED, f"`-p no:{candidate.name}`")
        else:
            plugin = self._loader.activate(candidate)
        self._plugins[candidate.name] = plugin
        self._unread.discard(candidate.name)
        return plugin

    def _know(self, candidate: Candidate) -> None:
        """Take in a built-in plugin: by its text where that says all there is to know, else by importing it."""
        plugin, complete = read_plugin(candidate)
        observes = any(hook not in REGISTERING_HOOKS for hook in plugin.hooks)
        if candidate.name in self.options.block or plugin.state is not State.OK or not complete or observes:
            self.adopt(candidate)
        else:
            self._plugins[candidate.name] = plugin

    def answer(self, request: PluginRequest) -> None:
        """Load a plugin that somebody asks for by name or path."""
        try:
            candidate = local_candidate(request) if is_path(request.plugin) else self._named_candidate(request)
        except UserError as error:
            self.problems.append(error)
            return
        known = self._plugins.get(candidate.name)
        if known is not None:
            if known.candidate.location != candidate.location:
                self.problems.append(_same_name(known.candidate, candidate))
            return
        plugin = self.adopt(candidate)
        if plugin.state in (State.BROKEN, State.INCOMPATIBLE):
            self.problems.append(self.refusal(plugin, request.span))

    def scan(self) -> None:
        """Read the text of installed plugins, once; nothing of them is imported."""
        if self._scanned:
            return
        self._scanned = True
        self._check_allowed()
        seen: dict[str, Candidate] = {}
        for candidate in self._candidates():
            if candidate.name in seen:
                self._clash(seen[candidate.name], candidate)
            elif candidate.name not in self._plugins:
                self._read(candidate)
            seen.setdefault(candidate.name, candidate)

    def import_unread(self) -> bool:
        """Import the scanned plugins whose text does not state their names; whether there were any."""
        names = sorted(self._unread)
        for name in names:
            self.adopt(self._plugins[name].candidate)
        return bool(names)

    def refusal(self, plugin: Plugin, span: Span, *, subject: str = "") -> UserError:
        """Why something of a plugin cannot be used, at the place that uses it."""
        failure = self._loader.failure(plugin.name)
        if failure is not None:
            return broken_error(subject or plugin.title, failure, span)
        code = "HOST004" if plugin.state is State.INCOMPATIBLE else "HOST003"
        return UserError(code, f"{subject or plugin.title} cannot be loaded: {plugin.reason}", span)

    def _named_candidate(self, request: PluginRequest) -> Candidate:
        name = request.plugin
        if name in self._plugins:
            return self._plugins[name].candidate
        named = [one for one in self._candidates() if one.name == name]
        if not named:
            raise self._not_installed(name, request.span)
        if len(named) > 1:
            raise _same_name(named[0], replace(named[1], span=request.span))
        if self.options.allow is not None and name not in self.options.allow:
            message = f"plugin `{name}` is not among the plugins that PYPTO_BUILD_PLUGINS allows"
            raise UserError("HOST002", message, request.span)
        return replace(named[0], span=request.span, requested=True)

    def _candidates(self) -> tuple[Candidate, ...]:
        if self._installed is None:
            self._installed = installed_candidates()
        return self._installed

    def _not_installed(self, name: str, span: Span) -> UserError:
        known = [*self._plugins, *(one.name for one in self._candidates())]
        return UserError("HOST001", f"there is no plugin `{name}`", span, help=did_you_mean(name, known))

    def _check_blocked(self) -> None:
        for name in self.options.block:
            if name not in self._plugins and all(one.name != name for one in self._candidates()):
                self.problems.append(self._not_installed(name, COMMAND_LINE))

    def _check_allowed(self) -> None:
        names = [one.name for one in self._candidates()]
        for name in self.options.allow or ():
            if name not in names:
                raise self._not_installed(name, ALLOW_LIST)

    def _read(self, candidate: Candidate) -> None:
        reason = self._blocked(candidate.name)
        plugin, complete = read_plugin(candidate)
        if reason:
            plugin = replace(plugin, state=State.BLOCKED, reason=reason)
        elif not complete:
            self._unread.add(candidate.name)
        self._plugins[candidate.name] = plugin

    def _blocked(self, name: str) -> str:
        if name in self.options.block:
            return f"`-p no:{name}`"
        if self.options.allow is not None and name not in self.options.allow:
            return "PYPTO_BUILD_PLUGINS does not list it"
        return "" if self.options.autoload else "PYPTO_BUILD_DISABLE_PLUGIN_AUTOLOAD is set; use `-p NAME`"

    def _clash(self, first: Candidate, second: Candidate) -> None:
        """Two distributions call their plugin the same: neither can be meant."""
        reason = f"distributions `{first.distribution}` and `{second.distribution}` both have a plugin of this name"
        self._plugins[first.name] = Plugin(first, State.DUPLICATE, reason)
        self._rivals.append(Plugin(second, State.DUPLICATE, reason))
        self._unread.discard(first.name)


def broken_error(subject: str, error: BaseException, span: Span) -> UserError:
    """Foreign code raised while it was imported: whose it is, what it raised, and where."""
    place = raised_at(error)
    notes = (("it was raised here", place),) if place.is_valid() else ()
    return UserError("HOST003", f"{subject} cannot be loaded: {describe(error)}", span, notes=notes)


def _same_name(first: Candidate, second: Candidate) -> UserError:
    return UserError(
        "HOST005",
        f"two plugins are called `{second.name}`: {_origin(first)} and {_origin(second)}",
        second.span,
        help="rename one of the files" if second.source is Source.LOCAL else "uninstall one of the distributions",
    )


def _origin(candidate: Candidate) -> str:
    if candidate.distribution:
        return f"distribution `{candidate.distribution}`"
    return f"`{shown_path(candidate.location)}`"
