# SPDX-License-Identifier: Apache-2.0
"""From an entry of a pipeline to the object that does the work: the name looked up, the options checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from pypto_build.errors import Span, UserError
from pypto_build.host import Contribution, Kind, PluginHost, Simulator, Target
from pypto_build.host.isolated import IsolatedSimulator, IsolatedTarget
from pypto_build.host.isolation import Limit
from pypto_build.host.manager import UNKNOWN_NAME
from pypto_build.host.suggest import did_you_mean
from pypto_build.pipeline.model import Entry, Setting
from pypto_build.pipeline.option_types import OptionValueError
from pypto_build.pipeline.options import Option, option_values, options_of
from pypto_build.pipeline.planned import Planned
from pypto_build.pipeline.problems import Problems

# What a class must be able to do to be of a kind.
METHODS: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {Kind.PASS: ("run",), Kind.TARGET: ("units", "emit"), Kind.SIMULATOR: ("simulate",)}
)


@dataclass(frozen=True, slots=True)
class Resolver:
    """Resolves entries with one host; what is wrong goes into `problems`.

    With `lost_plugins` an unknown name is not reported: the plugin that could not be loaded may provide it.
    """

    host: PluginHost
    problems: Problems
    lost_plugins: bool = False

    def resolve_all(self, kind: Kind, entries: tuple[Entry, ...]) -> tuple[Planned, ...]:
        """Every entry that can be resolved."""
        found = (self.resolve(kind, entry) for entry in entries)
        return tuple(one for one in found if one is not None)

    def resolve(self, kind: Kind, entry: Entry) -> Planned | None:
        """One entry; None when something is wrong with it."""
        if entry.timeout is not None and not entry.isolate:
            help = "only a process of its own can be stopped"
            self.problems.add(UserError("PIPE024", "`timeout` needs `isolate: process`", entry.span, help=help))
        try:
            contribution = self.host.find(kind, entry.use.value, span=entry.use.span)
            cls, options = load_class(self.host, contribution, span=entry.use.span)
        except UserError as error:
            if not (self.lost_plugins and error.code == UNKNOWN_NAME):
                self.problems.add(error)
            return None
        values = dict(self._values(entry, options))
        instance = self._instance(cls, values, entry=entry, required=[one.name for one in options if one.required])
        if instance is None:
            return None
        return Planned(
            id=entry.id,
            use=entry.use.value,
            name=str(getattr(cls, "name", cls.__name__)),
            instance=_isolated(instance, contribution, entry=entry) if entry.isolate else instance,
            options=option_values(instance),
            given={setting.name: setting.span for setting in entry.options},
            contribution=contribution,
            span=entry.span,
            isolate=entry.isolate,
            timeout=entry.timeout,
        )

    def _values(self, entry: Entry, options: tuple[Option, ...]) -> Iterator[tuple[str, object]]:
        """The options that the entry gives, as the class gets them."""
        known = {option.name: option for option in options}
        for setting in entry.options:
            option = known.get(setting.name)
            if option is None:
                self.problems.add(_unknown_option(entry, setting, known=known))
                continue
            try:
                yield option.name, option.convert(setting.plain)
            except OptionValueError as error:
                self.problems.add(_wrong_value(entry, setting, reason=str(error)))

    def _instance(self, cls: type, values: Mapping[str, object], *, entry: Entry, required: list[str]) -> object | None:
        wrong = [setting.name for setting in entry.options if setting.name not in values]
        missing = [name for name in required if name not in values and name not in wrong]
        for name in missing:
            message = f"`{entry.use.value}` needs its option `{name}`, which has no default"
            self.problems.add(UserError("PIPE022", message, entry.span))
        if missing or wrong:
            return None
        try:
            return cast(Callable[..., object], cls)(**values)
        except UserError as error:
            span = error.span if error.span.is_valid() else entry.span
            self.problems.add(UserError(error.code, error.message, span, help=error.help, notes=error.notes))
        except ValueError as error:  # how a class refuses a combination of options
            self.problems.add(UserError("PIPE023", f"`{entry.use.value}` refuses its options: {error}", entry.span))
        return None


def load_class(host: PluginHost, contribution: Contribution, *, span: Span) -> tuple[type, tuple[Option, ...]]:
    """The class behind a contribution, which must be what its kind demands, and its options."""
    cls = host.load(contribution, span=span)
    methods = METHODS[contribution.kind]
    reason = f"`{contribution.reference}` is not a class with " + " and ".join(f"a method `{one}`" for one in methods)
    if isinstance(cls, type) and all(callable(getattr(cls, one, None)) for one in methods):
        try:
            return cls, options_of(cls)
        except TypeError as error:
            reason = str(error)
    raise UserError("PIPE025", f"{contribution} cannot be used: {reason}", span)


def _isolated(instance: object, contribution: Contribution, *, entry: Entry) -> object:
    """A target or simulator behind a process of its own."""
    limit = Limit(str(contribution), entry.timeout, entry.span)
    if contribution.kind is Kind.TARGET:
        return IsolatedTarget.of(cast(Target, instance), limit)
    return IsolatedSimulator.of(cast(Simulator, instance), limit)


def _unknown_option(entry: Entry, setting: Setting, *, known: Mapping[str, Option]) -> UserError:
    names = ", ".join(f"`{name}`" for name in known)
    help = did_you_mean(setting.name, known) or (f"its options: {names}" if names else "it has no options")
    return UserError("PIPE020", f"`{entry.use.value}` has no option `{setting.name}`", setting.span, help=help)


def _wrong_value(entry: Entry, setting: Setting, *, reason: str) -> UserError:
    value = setting.plain
    looks_boolean = isinstance(value, str) and value.lower() in ("yes", "no", "on", "off", "y", "n")
    help = f"`{value}` is text in YAML 1.2" if looks_boolean and "`true`" in reason else ""
    message = f"option `{setting.name}` of `{entry.use.value}` {reason}"
    return UserError("PIPE021", message, setting.value.span, help=help)
