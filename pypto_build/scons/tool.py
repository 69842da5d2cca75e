# SPDX-License-Identifier: Apache-2.0
"""`generate` and `exists`: what SCons calls when an environment asks for the tool `pypto`.

Construction variables, none of which overwrites the user's:

    PTOPIPELINE     pipeline: a name or a path, `@variant` behind it for one of its variants
    PTODEFINES      parameters of the pipeline: a dictionary of name to value
    PTOPATH         where imported modules are looked for besides the source's own directory
    PTOENTRY        the program to compile where a source holds several
    PTOARGS         arguments of a `@pl.jit` entry: `["a=f32[64,64]", "n=7"]`
    PTOLOCATIONS    `map` (a source map beside the object), `inline` or `none`
    PTODISABLE, PTOENABLE    warnings and hints that are not wanted, and such as are off by default
    PTODUMP         a directory for the program after each pass, one directory in it for each object
    PTOSIMULATOR    the simulator to use instead of the pipeline's
    PTOSTORE        the store; PYPTO_BUILD_STORE or the user's cache directory unless given
    PTOSTOREMODE    off, read, write, refresh or verify
    PTOVERIFYRATE   one build in so many checks what it finds, 0 for none; PYPTO_BUILD_VERIFY_RATE or 32 unless given
    PTOTIMEOUT      seconds that a worker may take for one object or simulation; 600 unless given
    PTOAS           the assembler for PtoAssemble: a program, or a list of a program and arguments; `ptoas` unless given
    PTOASFLAGS      what it is told behind the names of files
    PTOSUFFIX, PTOMAPSUFFIX, PTOREPORTSUFFIX, PTOASSUFFIX    .ptobj, .ptomap, .ptosim.json, .ptasm
    PTOCOMSTR, PTOSIMCOMSTR, PTOLINKCOMSTR, PTOREPORTCOMSTR, PTOASCOMSTR    what is printed for a step
"""

from __future__ import annotations

from typing import Any

from pypto_build.scons import assembly, link, objects, reports, simulations
from pypto_build.scons.build_run import add_options, implementation, lock_tree

_DEFAULTS: dict[str, object] = {
    "PTOPIPELINE": "default",
    "PTODEFINES": {},
    "PTOPATH": [],
    "PTOENTRY": "",
    "PTOARGS": [],
    "PTOLOCATIONS": "map",
    "PTODISABLE": [],
    "PTOENABLE": [],
    "PTODUMP": "",
    "PTOSIMULATOR": "",
    "PTOSTORE": "",
    "PTOSTOREMODE": "",
    "PTOVERIFYRATE": "",
    "PTOTIMEOUT": "600",
    "PTOAS": "ptoas",
    "PTOASFLAGS": ["--enable-insert-sync", "--pto-level=level3"],  # our memory planner has given out all addresses
    "PTOSUFFIX": ".ptobj",
    "PTOMAPSUFFIX": ".ptomap",
    "PTOREPORTSUFFIX": ".ptosim.json",
    "PTOASSUFFIX": ".ptasm",
    "PTOCOMSTR": "PTO       $TARGET",
    "PTOSIMCOMSTR": "SIMULATE  $TARGET",
    "PTOLINKCOMSTR": "LINK      $TARGET",
    "PTOREPORTCOMSTR": "REPORT    $TARGET",
    "PTOASCOMSTR": "ASSEMBLE  $TARGET",
}


def generate(env: Any, **_: object) -> None:  # Any: SCons has no types
    """Add the builders and the defaults of the variables to an environment."""
    add_options()
    lock_tree(env)
    env.SetDefault(**_DEFAULTS)
    env["PTOIMPLEMENTATION"] = implementation(env)
    env["BUILDERS"]["PtoObject"] = objects.builder(env)
    env["BUILDERS"]["PtoSimulate"] = simulations.builder(env)
    env["BUILDERS"]["PtoProgram"] = link.builder(env)
    env["BUILDERS"]["PtoReport"] = reports.builder(env)
    env["BUILDERS"]["PtoAssemble"] = assembly.builder(env)


def exists(env: Any) -> bool:
    """The tool needs nothing but itself."""
    del env
    return True
