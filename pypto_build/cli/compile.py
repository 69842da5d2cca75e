# SPDX-License-Identifier: Apache-2.0
"""`pypto-build compile`: one source into an object, outside of SCons."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pypto_build.cli.values import UNORDERED, definition, seconds
from pypto_build.host.command import Command
from pypto_build.host.manager import PluginHost

ARGUMENT = "an argument of a @pl.jit entry: a=f32[64,N], n=7, k=i32"

ISOLATE = "run targets of other people's plugins in processes of their own, for at most so long"

SHARED = "a plugin's store behind the local one (default: PYPTO_BUILD_SHARED_STORE)"

DIAGNOSTIC = "warning or hint, by what its message has in brackets"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The source, the pipeline, the place of the object and of the store."""
    parser.add_argument("source", metavar="FILE", help="the kernel source")
    parser.add_argument("-o", "--output", metavar="OUT", help="the object (default: NAME.ptobj here)")
    parser.add_argument("--pipeline", default="default", metavar="P", help="a pipeline's name or file")
    parser.add_argument("-D", "--define", action="append", default=[], metavar="NAME=VALUE", help="pipeline parameter")
    parser.add_argument("-I", "--path", action="append", default=[], metavar="DIR", help="where imports are looked for")
    parser.add_argument("--entry", default="", metavar="NAME", help="the program, where a source holds several")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help=ARGUMENT)
    parser.add_argument("--locations", default="map", choices=("map", "inline", "none"), help="where places go")
    parser.add_argument("--dump-passes", default="", metavar="DIR", help="write the program after each pass")
    parser.add_argument("--allow-unordered", action="store_true", help=UNORDERED)
    parser.add_argument("--isolate", nargs="?", type=seconds, const=0.0, metavar="SECONDS", help=ISOLATE)
    parser.add_argument("--disable", action="append", default=[], metavar="NAME", help=f"no such {DIAGNOSTIC}")
    parser.add_argument("--enable", action="append", default=[], metavar="NAME", help=f"such a {DIAGNOSTIC} too")
    parser.add_argument("--store", metavar="DIR", help="the store (default: PYPTO_BUILD_STORE or the user's cache)")
    parser.add_argument("--store-mode", default="write", help="off, read, write, refresh or verify")
    parser.add_argument("--shared-store", metavar="NAME:LOCATION", help=SHARED)
    parser.add_argument("--explain", action="store_true", help="say which passes ran and why")


def run(arguments: argparse.Namespace, host: PluginHost) -> int:
    """Compile; warnings go to stderr."""
    from pypto_build.driver.compile import compile_source
    from pypto_build.driver.request import CompileRequest
    from pypto_build.store.gc import start_if_due
    from pypto_build.store.interface import mode_named
    from pypto_build.store.layout import StoreLayout
    from pypto_build.store.limits import store_limits
    from pypto_build.store.location import store_location
    from pypto_build.store.shared import shared_store
    from pypto_build.store.verify_rate import verify_rate

    output = arguments.output or os.path.splitext(os.path.basename(arguments.source))[0] + ".ptobj"
    request = CompileRequest(
        source=os.path.abspath(arguments.source),
        output=os.path.abspath(output),
        pipeline=arguments.pipeline,
        defines=tuple(definition(text) for text in arguments.define),
        entry=arguments.entry,
        arguments=tuple(arguments.arg),
        search_path=tuple(os.path.abspath(d) for d in arguments.path),
        locations=arguments.locations,
        store=str(store_location(os.environ, arguments.store)),
        store_mode=arguments.store_mode,
        shared_store=shared_store(os.environ, arguments.shared_store),
        verify_rate=verify_rate(os.environ),
        dump_passes=arguments.dump_passes,
        disable=tuple(arguments.disable),
        enable=tuple(arguments.enable),
        host=host.options,
        isolate=arguments.isolate,
        allow_unordered=arguments.allow_unordered,
    )
    result = compile_source(request)
    if mode_named(arguments.store_mode).writes:
        start_if_due(StoreLayout(Path(request.store)), store_limits(os.environ))
    for message in result.messages:
        print(message, file=sys.stderr)
    if arguments.explain:
        print(result.summary())
    return result.status


command = Command("compile", "compile a source into an object", add_arguments, run)
