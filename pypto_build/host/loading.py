# SPDX-License-Identifier: Apache-2.0
"""Importing one plugin and joining it to pluggy; whatever a foreign module does wrong becomes a state with a reason."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import cast

import pluggy

from pypto_build.host import hookspecs
from pypto_build.host.attribution import describe
from pypto_build.host.hookspecs import API_VERSION, PROJECT
from pypto_build.host.plugin import Candidate, ModuleFacts, Plugin, Source, State
from pypto_build.host.registry import REGISTERING_HOOKS, Contribution, Kind
from pypto_build.host.static import API_NAME, HOOK_PREFIX, find_module_file, plugin_file, read_module
from pypto_build.host.suggest import did_you_mean

Hooks = Iterable[tuple[str, pluggy.HookImpl]]


class PluginLoader:
    """The pluggy side of the host: which plugins were imported, and what they raised if they could not be."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._modules: dict[str, object] = {}
        self._failures: dict[str, BaseException] = {}

    def is_active(self, name: str) -> bool:
        """Whether the plugin of this name was imported and accepted."""
        return name in self._modules

    def failure(self, name: str) -> BaseException | None:
        """What the import of a broken plugin raised."""
        return self._failures.get(name)

    def implementations(self, hook: str) -> list[pluggy.HookImpl]:
        """The implementations of an observing hook, first registered first."""
        caller = cast(pluggy.HookCaller, getattr(self._manager.hook, hook))
        return caller.get_hookimpls()

    def activate(self, candidate: Candidate) -> Plugin:
        """Import a plugin, check it, and register its hooks; nothing that it raises leaves this method."""
        try:
            module = _import(candidate)
        except (Exception, SystemExit) as error:  # a foreign module may raise anything
            self._failures[candidate.name] = error
            return Plugin(candidate, State.BROKEN, describe(error))
        api = cast(object, getattr(module, API_NAME, None))
        plugin = Plugin(candidate, State.OK, api=api if isinstance(api, int) else None)
        reason = incompatibility(plugin)
        if reason:
            return replace(plugin, state=State.INCOMPATIBLE, reason=reason)
        reason = self._register(module, candidate.name)
        if reason:
            return replace(plugin, state=State.BROKEN, reason=reason)
        return self._ask(plugin, module)

    def resolve(self, contribution: Contribution) -> object:
        """Import the attribute behind a contribution of an active plugin; whatever the import raises flies."""
        module_name, _, attribute = contribution.reference.partition(":")
        owner = self._modules[contribution.provider]
        if isinstance(owner, ModuleType) and _is_relative(module_name, owner):
            package = owner.__package__ or owner.__name__
            target = importlib.import_module(module_name, package) if module_name.startswith(".") else owner
        else:
            target = importlib.import_module(module_name)
        for part in attribute.split("."):
            if not hasattr(target, part):
                raise ImportError(f"there is no `{attribute}` in `{module_name or contribution.provider}`")
            target = cast(object, getattr(target, part))
        return target

    def _register(self, module: object, name: str) -> str:
        """Join the plugin to pluggy; the reason when it cannot be."""
        unmarked = next(_unmarked_hooks(module), "")
        if unmarked:
            return f"`{unmarked}` lacks `@hookimpl`"
        try:
            self._manager.register(module, name)
        except pluggy.PluginValidationError as error:
            return " ".join(str(error).split())
        callers = self._manager.get_hookcallers(module) or []
        unknown = [caller.name for caller in callers if not caller.has_spec()]
        if unknown:
            self._manager.unregister(module)
            return unknown_hook(unknown[0])
        self._manager.check_pending()
        self._modules[name] = module
        return ""

    def _ask(self, plugin: Plugin, module: object) -> Plugin:
        """The plugin with the names that its registering hooks return."""
        callers = self._manager.get_hookcallers(module) or []
        hooks = [(caller.name, impl) for caller in callers for impl in caller.get_hookimpls() if impl.plugin is module]
        try:
            contributions = tuple(_contributions(plugin, hooks))
        except (Exception, SystemExit) as error:  # the hook is foreign code too
            self._failures[plugin.name] = error
            del self._modules[plugin.name]
            self._manager.unregister(module)
            return replace(plugin, state=State.BROKEN, reason=describe(error))
        names = tuple(sorted(name for name, _ in hooks))
        return replace(plugin, hooks=names, contributions=contributions)


def read_plugin(candidate: Candidate) -> tuple[Plugin, bool]:
    """What a plugin's text says, without importing it, and whether that is all there is to know."""
    module, _, attribute = candidate.location.partition(":")
    local = candidate.source is Source.LOCAL
    file = plugin_file(Path(candidate.location)) if local else find_module_file(module)
    if file is None:
        return Plugin(candidate, State.BROKEN, f"there is no module `{module}`"), True
    facts = read_module(file)
    unknown = [hook for hook in facts.hooks if not hasattr(hookspecs, hook)]
    plugin = Plugin(candidate, State.OK, api=facts.api, hooks=facts.hooks, contributions=_stated(candidate, facts))
    if facts.problem or unknown:
        reason = facts.problem or unknown_hook(unknown[0])
        return replace(plugin, state=State.BROKEN, reason=reason, contributions=()), True
    reason = incompatibility(plugin)
    if reason:
        return replace(plugin, state=State.INCOMPATIBLE, reason=reason, contributions=()), True
    return plugin, facts.complete and not attribute


def incompatibility(plugin: Plugin) -> str:
    """Why this host cannot take the plugin, by the API version that the plugin states."""
    if plugin.api is None:
        if plugin.candidate.source is not Source.INSTALLED:
            return ""
        return f"it does not state the host API it needs (`{API_NAME} = {API_VERSION}`)"
    if plugin.api == API_VERSION:
        return ""
    return f"it needs host API {plugin.api}, and this host has API {API_VERSION}"


def unknown_hook(name: str) -> str:
    """The reason of a plugin that implements a hook nobody calls."""
    known = [one for one in dir(hookspecs) if one.startswith(HOOK_PREFIX)]
    near = did_you_mean(name, known)
    return f"there is no hook `{name}`" + (f"; {near}" if near else "")


def _import(candidate: Candidate) -> object:
    if candidate.source is Source.LOCAL:
        from pypto_build.host.local import import_local  # hashlib, which a run without local plugins never needs

        return import_local(Path(candidate.location))
    name, _, attribute = candidate.location.partition(":")
    module: object = importlib.import_module(name)
    return cast(object, getattr(module, attribute)) if attribute else module


def _unmarked_hooks(module: object) -> Iterator[str]:
    """Functions of a module that are named like hooks but that pluggy would pass over in silence."""
    for name, value in vars(module).items() if isinstance(module, ModuleType) else ():
        if isinstance(value, FunctionType) and name.startswith(HOOK_PREFIX) and not hasattr(value, f"{PROJECT}_impl"):
            yield name


def _is_relative(module_name: str, owner: ModuleType) -> bool:
    """Whether a reference points into a local plugin: empty, `.module`, or the stem of its file."""
    if not module_name or module_name.startswith("."):
        return True
    file = Path(owner.__file__ or "")
    stem = file.parent.name if file.name == "__init__.py" else file.stem
    return owner.__name__.startswith("pypto_local_") and module_name == stem


def _contributions(plugin: Plugin, hooks: Hooks) -> Iterator[Contribution]:
    for hook, implementation in hooks:
        kind = REGISTERING_HOOKS.get(hook)
        if kind is None:
            continue
        names = cast(object, implementation.function())
        if not isinstance(names, Mapping):
            raise TypeError(f"`{hook}` returned {type(names).__name__} instead of a mapping of names")
        for name, reference in cast(Mapping[object, object], names).items():
            yield _contribution(plugin.candidate, kind, name=name, reference=reference)


def _contribution(candidate: Candidate, kind: Kind, *, name: object, reference: object) -> Contribution:
    if not isinstance(name, str) or not isinstance(reference, str) or not reference.partition(":")[2]:
        raise TypeError(f"{kind} {name!r} is {reference!r}, not a text of the form 'module:attribute'")
    return Contribution(kind, name, reference, candidate.name, candidate.requested)


def _stated(candidate: Candidate, facts: ModuleFacts) -> tuple[Contribution, ...]:
    return tuple(
        Contribution(kind, name, reference, candidate.name, candidate.requested)
        for kind, name, reference in facts.contributions
    )
