# SPDX-License-Identifier: Apache-2.0
"""The plugin host: answers who provides a name, loads it on first use, and tells observers what happened.

A host is built for one run and never shared: it cannot be pickled, so a worker builds its own from `HostOptions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pypto_build.errors import UNKNOWN_SPAN, Diagnostic, Span, UserError
from pypto_build.host.attribution import attributed
from pypto_build.host.discovery import HostOptions, PluginRequest
from pypto_build.host.inventory import COMMAND_LINE, Inventory, broken_error
from pypto_build.host.loading import PluginLoader, read_plugin
from pypto_build.host.plugin import Plugin, State
from pypto_build.host.registry import NO_REPLACEMENTS, REGISTERING_HOOKS, Contribution, Kind, Registry
from pypto_build.host.suggest import did_you_mean

if TYPE_CHECKING:
    from pypto_build.host.events import Event

DEFAULT_OPTIONS = HostOptions()
UNKNOWN_NAME = "HOST007"  # the code of the error that says so


class PluginHost:
    """Who provides which name.

    `requests` are the plugins that a pipeline lists, `replacements` its `replace:`. What is wrong with a plugin that
    somebody asked for by name stands in `problems`; what is wrong with any other is a warning until its name is used.
    """

    def __init__(
        self,
        options: HostOptions = DEFAULT_OPTIONS,
        requests: tuple[PluginRequest, ...] = (),
        *,
        replacements: Mapping[str, str] = NO_REPLACEMENTS,
    ) -> None:
        self.options = options
        self.replacements = dict(replacements)
        self._loader = PluginLoader()
        self._inventory = Inventory(options, self._loader)
        self._loaded: dict[Contribution, object] = {}
        enabled = tuple(PluginRequest(name, COMMAND_LINE) for name in options.enable)
        for request in enabled + requests:
            self._inventory.answer(request)
        self._registry = self._index()

    @property
    def problems(self) -> tuple[UserError, ...]:
        """What is wrong with the plugins that were asked for by name."""
        return tuple(self._inventory.problems)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is wrong with plugins that nobody asked for."""
        return tuple(
            Diagnostic("warning", "broken-plugin", f"{plugin.title} is {plugin.state}: {plugin.reason}")
            for plugin in self._inventory.everyone()
            if plugin.state in (State.BROKEN, State.INCOMPATIBLE) and not plugin.candidate.span.filename
        )

    @property
    def is_observed(self) -> bool:
        """Whether a plugin in use implements an observing hook; if none does, no event need be made."""
        used = (one for one in self._inventory.everyone() if self._loader.is_active(one.name))
        return any(hook not in REGISTERING_HOOKS for plugin in used for hook in plugin.hooks)

    @property
    def registry(self) -> Registry:
        """The names known so far; installed plugins join it when an unknown name makes the host look for them."""
        return self._registry

    def names_in_use(self, kind: Kind) -> tuple[str, ...]:
        """The names, sorted, of plugins that are built in, were asked for, or provide something that was loaded.

        What takes part without being named (operations, verifiers, checks) is looked up here: that a plugin is merely
        installed must change no result.
        """
        mine = (one for one in self._registry if one.kind is kind)
        return tuple(sorted({one.name for one in mine if one.requested or self._loader.is_active(one.provider)}))

    def plugin(self, name: str) -> Plugin:
        """A known plugin, for example the provider of a contribution."""
        return self._inventory[name]

    def plugins(self) -> tuple[Plugin, ...]:
        """Every plugin known so far, with those whose names clash marked as duplicates."""
        marked = (self._with_conflicts(plugin) for plugin in self._inventory.everyone())
        return tuple(sorted(marked, key=lambda one: (one.candidate.source, one.name)))

    def survey(self) -> tuple[Plugin, ...]:
        """Every plugin there is; the text of installed ones is read, and nothing of them is imported."""
        self._inventory.scan()
        self._registry = self._index()
        return self.plugins()

    def find(self, kind: Kind, name: str, *, span: Span = UNKNOWN_SPAN) -> Contribution:
        """The contribution behind a name; an unknown one is an error that suggests a near one."""
        found = self._registry.lookup(kind, name, span=span)
        if found is None and self.options.autoload:
            self._inventory.scan()
            self._registry = self._index()
            found = self._registry.lookup(kind, name, span=span)
        if found is None and self._inventory.import_unread():
            self._registry = self._index()
            found = self._registry.lookup(kind, name, span=span)
        if found is None:
            raise self._unknown(kind, name, span=span)
        return found

    def load(self, contribution: Contribution, *, span: Span = UNKNOWN_SPAN) -> object:
        """The object behind a contribution, imported on first use; a failure names the plugin and the line at fault."""
        if contribution in self._loaded:
            return self._loaded[contribution]
        plugin = self._inventory[contribution.provider]
        if not self._loader.is_active(plugin.name):
            plugin = self._inventory.adopt(plugin.candidate)
            self._registry = self._index()
        if plugin.state is not State.OK:
            raise self._inventory.refusal(plugin, span, subject=str(contribution))
        try:
            value = self._loader.resolve(contribution)
        except (Exception, SystemExit) as error:  # the module is foreign code and may raise anything
            raise broken_error(str(contribution), error, span) from error
        self._loaded[contribution] = value
        return value

    def notify(self, event: Event) -> None:
        """Tell every observer; an observer that raises is named in the exception."""
        from pypto_build.host.events import OBSERVING_HOOKS  # whoever has an event has imported it

        hook = OBSERVING_HOOKS[type(event)]
        for implementation in self._loader.implementations(hook):
            with attributed(f"hook `{hook}` of plugin `{implementation.plugin_name}`"):
                implementation.function(*(event for _ in implementation.argnames))

    def _index(self) -> Registry:
        return Registry(self._inventory.contributions(), self.replacements)

    def _with_conflicts(self, plugin: Plugin) -> Plugin:
        """The plugin, as a duplicate when another one claims one of its names as well."""
        if plugin.state is not State.OK:
            return plugin
        for one in plugin.contributions:
            others = [other for other in self._registry.providers(one.kind, one.name) if other.provider != plugin.name]
            if others and one.name not in self.replacements:
                reason = f"{one.kind} `{one.name}` is also provided by plugin `{others[0].provider}`"
                return replace(plugin, state=State.DUPLICATE, reason=reason)
        return plugin

    def _unknown(self, kind: Kind, name: str, *, span: Span) -> UserError:
        everyone = self._inventory.everyone()
        hints = [did_you_mean(name, self._registry.names(kind))]
        hints += [_absence(plugin) for plugin in everyone if _would_provide(plugin, kind, name=name)]
        broken = ", ".join(f"`{one.name}`" for one in everyone if one.state in (State.BROKEN, State.INCOMPATIBLE))
        if broken and not any(hints):
            hints.append(f"`pypto-build plugins` says why these could not be loaded: {broken}")
        hint = "; ".join(text for text in hints if text)
        return UserError(
            UNKNOWN_NAME,
            f"there is no {kind} `{name}`",
            span,
            help=hint or "`pypto-build plugins -v` lists every name there is",
        )


def _would_provide(plugin: Plugin, kind: Kind, *, name: str) -> bool:
    """Whether a plugin that is not used states a name."""
    if plugin.state is State.OK:
        return False
    contributions = plugin.contributions
    if plugin.state is State.BLOCKED and not contributions:
        contributions = read_plugin(plugin.candidate)[0].contributions
    return any(one.kind is kind and one.name == name for one in contributions)


def _absence(plugin: Plugin) -> str:
    return f"{plugin.title}, which provides it, is {plugin.state} ({plugin.reason})"
