# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of pipeline files knows names, options and every key of the format."""

from __future__ import annotations

import pytest

from pypto_build.host import PluginHost
from pypto_build.pipeline.json_schema import pipeline_schema
from pypto_build.pipeline.schema import EDITS, FileModel

from .conftest import ONLY_FAKES


@pytest.fixture(scope="module")
def made():
    """The schema of a host with the fake passes."""
    return pipeline_schema(PluginHost(ONLY_FAKES))


def constants(form):
    return [one["const"] for one in form["anyOf"] if "const" in one]


def test_it_knows_every_key_of_a_file(made):
    assert set(made["properties"]) == {field.alias or name for name, field in FileModel.model_fields.items()}
    assert made["additionalProperties"] is False


def test_every_key_is_described(made):
    assert all(one["description"] for one in made["properties"].values())


def test_it_completes_the_names_of_passes(made):
    assert {"convert_to_ssa", "simplify"} <= set(constants(made["$defs"]["pass"]["anyOf"][0]))
    assert constants(made["$defs"]["target"]["anyOf"][0]) == ["orchestration", "pto"]
    assert constants(made["$defs"]["simulator"]["anyOf"][0]) == ["functional"]


def test_it_allows_names_of_plugins_that_it_does_not_know(made):
    assert {"type": "string"} in made["$defs"]["pass"]["anyOf"][0]["anyOf"]


def test_it_knows_the_options_of_each_pass(made):
    rules = made["$defs"]["pass"]["anyOf"][1]["allOf"]
    options = next(
        rule["then"]["properties"]["options"]
        for rule in rules
        if rule["if"]["properties"]["use"]["const"] == "simplify"
    )
    assert options["properties"]["max_iterations"] == {
        "description": "How often at most.",
        "default": 4,
        "anyOf": [
            {"type": "integer", "minimum": 1, "maximum": 64},
            {"type": "string", "pattern": r"^\$\{[a-z][a-z0-9_]*\}$"},
        ],
    }
    assert options["additionalProperties"] is False


def test_it_leaves_out_what_cannot_be_loaded(made):
    assert "unimportable" not in constants(made["$defs"]["pass"]["anyOf"][0])


def test_it_knows_every_operation_of_an_edit(made):
    operations = [next(iter(one["properties"])) for one in made["$defs"]["edit"]["oneOf"]]
    assert operations == list(EDITS)


def test_it_allows_a_value_alone_for_a_parameter(made):
    assert made["properties"]["params"]["additionalProperties"] == {"$ref": "#/$defs/param"}
    assert {"type": ["string", "number", "boolean"]} in made["$defs"]["param"]["anyOf"]
