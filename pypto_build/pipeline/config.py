# SPDX-License-Identifier: Apache-2.0
"""From files to one meaning: `extends`, `edit`, `variants` and parameters applied, in that order of precedence.

The file at the end of the `extends` chain comes first, then each file that extends it, then the variant. A scalar or a
list of a later one replaces that of an earlier one; the list of passes changes only through `edit`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pypto_build.errors import UNKNOWN_SPAN, UserError
from pypto_build.host.suggest import did_you_mean
from pypto_build.pipeline.chain import read_chain
from pypto_build.pipeline.edit import PassList
from pypto_build.pipeline.locate import INLINE, Origin, locate, split_variant
from pypto_build.pipeline.model import Config, Layer, Param, PipelineFile, Text, Variant
from pypto_build.pipeline.params import Substitution, parameter_values
from pypto_build.pipeline.problems import Problems
from pypto_build.pipeline.yaml_nodes import ScalarValue

NO_DEFINES: Mapping[str, str] = {}


def load_config(spec: str, problems: Problems, *, defines: Mapping[str, str] = NO_DEFINES) -> Config | None:
    """What a pipeline's files mean; None when there is nothing to go on with, for the reasons in `problems`."""
    source, variant_name = split_variant(spec)
    try:
        origin = locate(source)
    except UserError as error:
        problems.add(error)
        return None
    chain = read_chain(origin, problems)
    if not chain:
        return None
    variant = _variant(chain, variant_name, problems=problems)
    declared: dict[str, Param] = {param.name: param for file in reversed(chain) for param in file.params}
    overrides = variant.params if variant is not None else ()
    values = parameter_values(declared, overrides, defines=defines, problems=problems)
    complete = chain[-1].extends is None and all(file.complete for file in chain)
    merge = _Merge(Substitution(values, declared, problems=problems), problems, complete=complete)
    for file in reversed(chain):
        merge.add_file(file)
    if variant is not None:
        merge.add_layer(variant.layer)
    return merge.config(chain, origin, variant=variant_name, values=values)


def _variant(chain: tuple[PipelineFile, ...], name: str, *, problems: Problems) -> Variant | None:
    if not name:
        return None
    known = {variant.name: variant for file in reversed(chain) for variant in file.variants}
    if name in known:
        return known[name]
    names = ", ".join(f"`{one}`" for one in known) or "none"
    help = did_you_mean(name, known) or f"its variants: {names}"
    problems.add(UserError("PIPE013", f"pipeline {chain[0].filename} has no variant `{name}`", UNKNOWN_SPAN, help=help))
    return None


class _Merge:
    """Puts layers on top of each other."""

    def __init__(self, substitution: Substitution, problems: Problems, *, complete: bool) -> None:
        self._substitution = substitution
        self._problems = problems
        self._passes = PassList(problems, complete=complete)
        self._complete = complete
        self._layer = Layer(UNKNOWN_SPAN)
        self._plugins: list[tuple[Text, str]] = []
        self._replace: dict[str, Text] = {}

    def add_file(self, file: PipelineFile) -> None:
        """Put a file on top of those that it extends."""
        if file.passes is not None:
            if file.extends is not None:
                self._problems.add(
                    UserError(
                        "PIPE014",
                        "a pipeline that extends another one cannot list `passes`",
                        file.passes[0].span if file.passes else file.layer.span,
                        help="change the inherited list with `edit:`, or leave `extends` out",
                    )
                )
            else:
                self._passes.extend(self._substitution.entries(file.passes))
        directory = Origin(file.filename).directory
        self._plugins += [(plugin, directory) for plugin in file.plugins]
        self._replace.update((one.name, Text(str(one.plain), one.value.span)) for one in file.replace)
        self.add_layer(file.layer)

    def add_layer(self, layer: Layer) -> None:
        """Put a layer on top: what it says counts, and its edits apply to the passes so far."""
        layer = self._substitution.layer(layer)
        below = self._layer
        self._layer = Layer(
            span=layer.span,
            hardware=layer.hardware or below.hardware,
            memory_planner=layer.memory_planner or below.memory_planner,
            targets=below.targets if layer.targets is None else layer.targets,
            simulator=layer.simulator or below.simulator,
            verify=layer.verify or below.verify,
            assumes=below.assumes if layer.assumes is None else layer.assumes,
            disable=below.disable if layer.disable is None else layer.disable,
            enable=below.enable if layer.enable is None else layer.enable,
        )
        for edit in layer.edits:
            self._passes.apply(edit)

    def config(
        self, chain: tuple[PipelineFile, ...], origin: Origin, *, variant: str, values: Mapping[str, ScalarValue]
    ) -> Config:
        """The result."""
        file = chain[0]
        stem = os.path.splitext(os.path.basename(origin.filename))[0] if origin.text is None else "pipeline"
        return Config(
            name=file.name.value if file.name is not None else stem,
            variant=variant,
            hardware=self._layer.hardware,
            memory_planner=self._layer.memory_planner,
            passes=self._passes.entries,
            targets=self._layer.targets or (),
            simulator=self._layer.simulator,
            verify=self._layer.verify,
            assumes=self._layer.assumes or (),
            plugins=tuple(self._plugins),
            replace=self._replace,
            files=tuple(one.filename for one in chain if one.filename != INLINE),
            span=file.layer.span,
            disable=self._layer.disable or (),
            enable=self._layer.enable or (),
            params=dict(values),
            complete=self._complete and self._substitution.complete,
            lost_plugins=any(one.lost_plugins for one in chain),
        )
