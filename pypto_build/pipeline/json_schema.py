# SPDX-License-Identifier: Apache-2.0
"""JSON Schema of pipeline files, so that an editor completes and checks names of passes and their options.

Put `# yaml-language-server: $schema=configs/schema.json` into the first line of a pipeline file.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import BaseModel

from pypto_build.errors import UNKNOWN_SPAN, UserError
from pypto_build.host import Kind, PluginHost
from pypto_build.pipeline import schema
from pypto_build.pipeline.fitting import KEY, digest_of
from pypto_build.pipeline.locate import shipped_pipelines
from pypto_build.pipeline.option_types import Json
from pypto_build.pipeline.options import Option, documented_options
from pypto_build.pipeline.resolve import load_class
from pypto_build.pipeline.validation import check_file
from pypto_build.pipeline.yaml_source import read_yaml

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def pipeline_schema(host: PluginHost) -> Json:
    """The schema for a host: names that it does not know are allowed, for a file may bring plugins of its own."""
    definitions: Json = {
        "pass": _entries(host, Kind.PASS, model=schema.PassModel),
        "target": _entries(host, Kind.TARGET, model=schema.RunnerModel),
        "simulator": _entries(host, Kind.SIMULATOR, model=schema.RunnerModel),
        "edit": {"oneOf": [_plain_model(model) for model in schema.EDITS.values()]},
        "param": {"anyOf": [_plain_model(schema.ParamModel), {"type": ["string", "number", "boolean"]}]},
        "variant": _plain_model(schema.VariantModel),
        "diagnostics": _plain_model(schema.DiagnosticsModel),
    }
    file = _plain_model(schema.FileModel)
    return {"$schema": DIALECT, "title": "PyPTO Build pipeline", **file, "$defs": definitions, KEY: _fitting()}


def _fitting() -> Json:
    """The shipped files that fit, each with its digest."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in shipped_pipelines().values()}
    checked = {name: check_file(root) for name, text in texts.items() if (root := read_yaml(text, name).root)}
    return {name: digest_of(texts[name]) for name, one in checked.items() if not one.problems}


def schema_text(host: PluginHost) -> str:
    """The schema as it is checked in."""
    return json.dumps(pipeline_schema(host), indent=1, sort_keys=True) + "\n"


_PARAMETER: Json = {"type": "string", "pattern": r"^\$\{[a-z][a-z0-9_]*\}$"}

# What the entries of these keys are; the library knows only the long form of each.
_REFERENCES: Mapping[str, Json] = {
    "passes": {"type": "array", "items": {"$ref": "#/$defs/pass"}, "minItems": 1},
    "pass": {"$ref": "#/$defs/pass"},
    "diagnostics": {"$ref": "#/$defs/diagnostics"},
    "with": {"$ref": "#/$defs/pass"},
    "targets": {"type": "array", "items": {"$ref": "#/$defs/target"}},
    "simulator": {"$ref": "#/$defs/simulator"},
    "edit": {"type": "array", "items": {"$ref": "#/$defs/edit"}},
    "remove": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "memory_planner": {"anyOf": [{"enum": ["pypto", "dsa_rp", "ptoas"]}, _PARAMETER]},
    "verify": {"anyOf": [{"enum": ["none", "basic", "roundtrip"]}, _PARAMETER]},
    "schema": {"const": schema.SCHEMA_VERSION},
}


def _plain_model(model: type[BaseModel]) -> Json:
    """A mapping of the schema: its keys with their descriptions."""
    properties: Json = {}
    for name, field in model.model_fields.items():
        key = field.alias or name
        form = _REFERENCES.get(key) or _mapping(model, key) or _basic(model, key)
        properties[key] = {**form, "description": field.description}
    required = [field.alias or name for name, field in model.model_fields.items() if field.is_required()]
    documentation = inspect.getdoc(model) or ""
    facts: Json = {"type": "object", "description": documentation, "properties": properties}
    return {**facts, "additionalProperties": False, **({"required": required} if required else {})}


def _mapping(model: type[BaseModel], key: str) -> Json | None:
    """`params` and `variants` map names; a variant's `params` map to values."""
    item: Json | None = None
    if key == "params":
        declared = model is schema.FileModel
        item = {"$ref": "#/$defs/param"} if declared else {"type": ["string", "number", "boolean"]}
    elif key == "variants":
        item = {"$ref": "#/$defs/variant"}
    if item is None:
        return None
    return {"type": "object", "propertyNames": {"pattern": schema.ID_PATTERN}, "additionalProperties": item}


def _basic(model: type[BaseModel], key: str) -> Json:
    """What the library says about a key, without the `null` that stands for leaving it out."""
    properties = cast(Mapping[str, Json], model.model_json_schema(by_alias=True)["properties"])
    form = {name: value for name, value in properties[key].items() if name not in ("title", "default", "description")}
    choices = cast(list[Json], form.pop("anyOf", []))
    kept = [one for one in choices if one != {"type": "null"}]
    return {**form, **kept[0]} if len(kept) == 1 else {**form, **({"anyOf": kept} if kept else {})}


def _entries(host: PluginHost, kind: Kind, *, model: type[BaseModel]) -> Json:
    """A pass, target or simulator: a known name, or a mapping whose `options` depend on `use`."""
    documented = dict(_documented(host, kind))
    rules: list[Json] = [
        {
            "if": {"properties": {"use": {"const": name}}, "required": ["use"]},
            "then": {"properties": {"options": options}},
        }
        for name, (_, options) in documented.items()
        if options.get("properties") != {}
    ]
    names = [{"const": name, "description": doc} for name, (doc, _) in documented.items()]
    name_form: Json = {"anyOf": [*names, {"type": "string"}]}
    long_form = _plain_model(model)
    properties = cast(Json, long_form["properties"])
    use = cast(Json, properties["use"])
    properties["use"] = {**name_form, "description": use["description"]}
    return {"anyOf": [name_form, {**long_form, **({"allOf": rules} if rules else {})}]}


def _option(option: Option) -> Json:
    """The values of an option, or a parameter that stands for one."""
    form = option.schema()
    if form.get("type") == "string":
        return form
    outside: Json = {name: form.pop(name) for name in ("description", "default") if name in form}
    return {**outside, "anyOf": [form, _PARAMETER]}


def _documented(host: PluginHost, kind: Kind) -> Iterator[tuple[str, tuple[str, Json]]]:
    """Name, first line of documentation and schema of the options of every contribution that can be loaded."""
    for name in host.registry.names(kind):
        try:
            cls, _ = load_class(host, host.find(kind, name), span=UNKNOWN_SPAN)
        except UserError:
            continue
        options = {option.name: _option(option) for option in documented_options(cls)}
        form: Json = {"type": "object", "properties": options, "additionalProperties": False}
        yield name, ((inspect.getdoc(cls) or "").partition("\n")[0], form)
