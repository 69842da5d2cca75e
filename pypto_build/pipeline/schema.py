# SPDX-License-Identifier: Apache-2.0
"""The form of a pipeline file: which keys there are and what each takes. Its field descriptions are the manual.

Names and options of passes, targets and simulators are not checked here: only the plugins know them.
"""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

SCHEMA_VERSION = 1
ID_PATTERN = "^[a-z][a-z0-9_]*$"

Identifier = Annotated[str, StringConstraints(pattern=ID_PATTERN)]


def _entry(value: object) -> object:
    """A name alone is short for a mapping with `use`."""
    if isinstance(value, str):
        return {"use": value}
    if isinstance(value, dict):
        return cast(object, value)
    raise PydanticCustomError("entry", "takes a name, or a mapping with `use`")


def _param(value: object) -> object:
    """A value alone is short for a declaration with that default."""
    if isinstance(value, dict):
        return cast(object, value)
    return {"default": value}


def _scalar(value: object) -> object:
    if value is None or isinstance(value, list | dict):
        raise PydanticCustomError("scalar", "takes text, a number, `true` or `false`")
    return value


def _texts(value: object) -> object:
    return [value] if isinstance(value, str) else value


ScalarField = Annotated[object, BeforeValidator(_scalar)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PassModel(_Model):
    """A pass. A name alone is short for `{use: name}`."""

    use: str = Field(description="The pass, by the name under which its plugin registers it.")
    id: Identifier | None = Field(
        None, description="What edits call it; by default its name. A pass that occurs twice needs one."
    )
    options: dict[str, object] = Field({}, description="Its options; those left out have their defaults.")


class RunnerModel(_Model):
    """A target or simulator. A name alone is short for `{use: name}`."""

    use: str = Field(description="The target or simulator, by the name under which its plugin registers it.")
    options: dict[str, object] = Field({}, description="Its options; those left out have their defaults.")
    isolate: Literal["process"] | None = Field(None, description="`process` runs it in a process of its own.")
    timeout: float | None = Field(None, gt=0, description="With `isolate`: how many seconds it may take.")


PassItem = Annotated[PassModel, BeforeValidator(_entry)]
RunnerItem = Annotated[RunnerModel, BeforeValidator(_entry)]


class ParamModel(_Model):
    """A parameter. A value alone is short for `{default: value}`."""

    type: Literal["int", "float", "bool", "str"] | None = Field(
        None, description="Its type; by default that of the default."
    )
    default: ScalarField = Field(None, description="Its value unless `-D name=value` gives another one.")
    choices: list[ScalarField] | None = Field(None, min_length=1, description="The values that it may have.")
    doc: str = Field("", description="One sentence about it.")


class RemoveModel(_Model):
    """Take passes out of the list."""

    remove: Annotated[list[str], BeforeValidator(_texts)] = Field(description="The id of a pass, or a list of ids.")


class ReplaceModel(_Model):
    """Put another pass in the place of one; it keeps the id unless it has its own."""

    replace: str = Field(description="The id of the pass to replace.")
    with_: PassItem = Field(alias="with", description="The pass to put there.")


class InsertBeforeModel(_Model):
    """Add a pass before another."""

    insert_before: str = Field(description="The id of the pass before which it goes.")
    pass_: PassItem = Field(alias="pass", description="The pass to add.")


class InsertAfterModel(_Model):
    """Add a pass after another."""

    insert_after: str = Field(description="The id of the pass after which it goes.")
    pass_: PassItem = Field(alias="pass", description="The pass to add.")


class SetModel(_Model):
    """Change options of a pass; options that are not named stay as they are."""

    set: str = Field(description="The id of the pass.")
    options: dict[str, object] = Field(description="The options to change.")


EDITS: dict[str, type[_Model]] = {
    "remove": RemoveModel,
    "replace": ReplaceModel,
    "insert_before": InsertBeforeModel,
    "insert_after": InsertAfterModel,
    "set": SetModel,
}


class DiagnosticsModel(_Model):
    """Which warnings and hints are wanted, by what stands in the brackets of their messages."""

    disable: list[str] | None = Field(None, description="Those that are not wanted, such as `PH001`.")
    enable: list[str] | None = Field(None, description="Those that are wanted although they are off by default.")


class LayerModel(_Model):
    """What a pipeline file and a variant have in common."""

    hardware: str | None = Field(None, description="The chip to compile for, such as `ascend910b`.")
    memory_planner: str | None = Field(
        None, description="Who decides where tiles lie on chip: `pypto` (the default), `dsa_rp`, `ptoas`."
    )
    targets: list[RunnerItem] | None = Field(None, description="What to generate; replaces an inherited list.")
    simulator: RunnerItem | None = Field(None, description="What runs a program on arrays.")
    verify: str | None = Field(None, description="How much is verified after each pass: `none`, `basic`, `roundtrip`.")
    assumes: list[str] | None = Field(
        None, description="IR properties that every source already has, so that no pass need establish them."
    )
    diagnostics: DiagnosticsModel | None = Field(None, description="Which warnings and hints are wanted.")
    edit: list[dict[str, object]] | None = Field(None, description="Changes to the list of passes, in this order.")


class VariantModel(LayerModel):
    """A named set of changes, chosen as `name@variant`."""

    doc: str = Field("", description="Who wants it.")
    params: dict[Identifier, ScalarField] | None = Field(None, description="Other defaults of declared parameters.")


class FileModel(LayerModel):
    """A pipeline: which passes run, in which order, with which options, and what becomes of the result."""

    schema_: int = Field(alias="schema", description="The version of this format: 1.")
    name: Identifier | None = Field(None, description="The name of the pipeline; by default that of the file.")
    extends: str | None = Field(None, description="The file, or the name of the shipped pipeline, to start from.")
    passes: list[PassItem] | None = Field(None, min_length=1, description="The passes, in order.")
    plugins: list[str] | None = Field(
        None, description="Plugins to load: paths of local ones, relative to this file, or names of installed ones."
    )
    replace: dict[str, str] | None = Field(
        None, description="For a name that several plugins provide: the plugin that counts."
    )
    params: dict[Identifier, Annotated[ParamModel, BeforeValidator(_param)]] | None = Field(
        None,
        description="Parameters that may be used as `${name}` in options, names, hardware, memory_planner, verify.",
    )
    variants: dict[Identifier, VariantModel] | None = Field(None, description="Named sets of changes.")
