# SPDX-License-Identifier: Apache-2.0
"""`pypto-build plugins`: every plugin there is, its state and what it provides; nothing is imported for it."""

from __future__ import annotations

import argparse
from collections import Counter

from pypto_build.host import Command, Plugin, PluginHost, Source

SHORT_DIGEST = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How much to show, and of which pipeline."""
    parser.add_argument("-v", "--verbose", action="store_true", help="list every name, and where the plugin lies")
    parser.add_argument("--json", action="store_true", help="print one JSON array")
    parser.add_argument("--pipeline", metavar="P", help="with the plugins that this pipeline lists")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Print the list."""
    if arguments.pipeline:
        from pypto_build.pipeline.plan import load_host

        host = load_host(arguments.pipeline, host.options)
    plugins = host.survey()
    if arguments.json:
        import json

        print(json.dumps([_facts(plugin) for plugin in plugins], indent=1))
    elif arguments.verbose:
        print("\n\n".join(_details(plugin) for plugin in plugins))
    else:
        _print_table(plugins)
    return 0


def _print_table(plugins: tuple[Plugin, ...]) -> None:
    from pypto_build.driver.tables import print_table

    rows = [
        (plugin.name, plugin.candidate.source, _version(plugin), plugin.state, plugin.reason or _summary(plugin))
        for plugin in plugins
    ]
    print_table("Plugins", ("name", "source", "version", "state", ""), rows)


def _summary(plugin: Plugin) -> str:
    """`12 passes, 3 verifiers`, or what it observes."""
    counts = Counter(one.kind for one in plugin.contributions)
    provided = [f"{count} {kind if count == 1 else kind.plural}" for kind, count in counts.items()]
    observed = [hook for hook in plugin.hooks if not hook.startswith("pypto_register_")]
    return ", ".join(provided + ([f"observes {len(observed)} events"] if observed else []))


def _details(plugin: Plugin) -> str:
    facts = [
        ("state", f"{plugin.state}: {plugin.reason}" if plugin.reason else plugin.state),
        ("source", plugin.candidate.source),
        ("from", plugin.candidate.location),
        ("distribution", plugin.candidate.distribution),
        ("version", _version(plugin)),
        ("host API", str(plugin.api or "")),
        ("digest", (_digest(plugin) or "")[:SHORT_DIGEST]),
        ("observes", ", ".join(hook for hook in plugin.hooks if not hook.startswith("pypto_register_"))),
    ]
    lines = [plugin.name, *(f"  {title + ':':<14}{value}" for title, value in facts if value)]
    lines += [f"  {one.kind + ':':<14}{one.name}  ({one.reference})" for one in plugin.contributions]
    return "\n".join(lines)


def _facts(plugin: Plugin) -> dict[str, object]:
    return {
        "name": plugin.name,
        "source": plugin.candidate.source,
        "state": plugin.state,
        "reason": plugin.reason,
        "location": plugin.candidate.location,
        "distribution": plugin.candidate.distribution,
        "version": _version(plugin),
        "api": plugin.api,
        "digest": _digest(plugin),
        "hooks": list(plugin.hooks),
        "contributions": [
            {"kind": one.kind, "name": one.name, "reference": one.reference} for one in plugin.contributions
        ],
    }


def _version(plugin: Plugin) -> str:
    import pypto_build

    return pypto_build.__version__ if plugin.candidate.source is Source.BUILT_IN else plugin.candidate.version


def _digest(plugin: Plugin) -> str | None:
    from pypto_build.host.local import plugin_digest

    return plugin_digest(plugin.candidate)


command = Command("plugins", "list the plugins, their state and what they provide", add_arguments, run)
