# SPDX-License-Identifier: Apache-2.0
"""What files mean together: extends, edits, variants and parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.errors import UserError
from pypto_build.pipeline import load_pipeline

from .conftest import BASE, HEAD, ONLY_FAKES, given, ids

EXTEND = "schema: 1\nextends: base.yaml\n"


def test_a_pass_is_a_name_or_a_mapping(load):
    pipeline = load(HEAD + "passes: [simplify, {use: simplify, id: again, options: {fold: false}}]\n")
    assert ids(pipeline) == ["simplify", "again"]
    assert given(pipeline, "again") == {"fold": False}


def test_a_file_has_what_it_extends(load):
    pipeline = load(EXTEND)
    assert ids(pipeline) == [
        "convert_to_ssa",
        "simplify",
        "lower_pipeline_loops",
        "canonicalize_io_order",
        "late_simplify",
    ]
    assert (pipeline.hardware, [one.use for one in pipeline.targets]) == ("ascend910b", ["pto"])


def test_what_a_file_says_counts_more_than_what_it_extends(load):
    pipeline = load(EXTEND + "hardware: ascend950\ntargets: [orchestration]\nverify: none\nsimulator: functional\n")
    assert (pipeline.hardware, pipeline.verify) == ("ascend950", "none")
    assert [one.use for one in pipeline.targets] == ["orchestration"]
    assert pipeline.simulator.use == "functional"


def test_an_empty_list_of_targets_counts_too(load):
    assert load(EXTEND + "targets: []\n").targets == ()


def test_the_name_is_given_or_that_of_the_file(load):
    assert load(EXTEND).name == "pipeline"
    assert load(EXTEND + "name: mine\n").name == "mine"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ("remove: simplify", ["convert_to_ssa", "late_simplify"]),
        ("remove: [simplify, late_simplify]", ["convert_to_ssa"]),
        (
            "{insert_before: simplify, pass: normalize_stmt_structure}",
            ["convert_to_ssa", "normalize_stmt_structure", "simplify", "late_simplify"],
        ),
        (
            "{insert_after: late_simplify, pass: {id: third, use: simplify}}",
            ["convert_to_ssa", "simplify", "late_simplify", "third"],
        ),
        ("{replace: simplify, with: normalize_stmt_structure}", ["convert_to_ssa", "simplify", "late_simplify"]),
        ("{replace: simplify, with: {id: other, use: simplify}}", ["convert_to_ssa", "other", "late_simplify"]),
    ],
)
def test_an_edit_changes_the_list(load, edit, expected):
    base = HEAD + "passes: [convert_to_ssa, simplify, {id: late_simplify, use: simplify}]\n"
    assert ids(load(EXTEND + f"edit:\n  - {edit}\n", base=base)) == expected


def test_a_replaced_pass_keeps_its_id_and_nothing_else(load):
    text = "edit:\n  - {replace: late_simplify, with: normalize_stmt_structure}\n"
    entry = load(EXTEND + text).passes[-1]
    assert (entry.id, entry.use, dict(entry.options)) == ("late_simplify", "normalize_stmt_structure", {})


def test_set_changes_the_options_it_names_and_keeps_the_others(load):
    text = "edit:\n  - {set: late_simplify, options: {max_iterations: 8, level: fast}}\n"
    assert given(load(EXTEND + text), "late_simplify") == {"max_iterations": 8, "fold": False, "level": "fast"}


def test_edits_apply_one_after_the_other(load):
    text = """\
    edit:
      - {insert_after: simplify, pass: {id: third, use: simplify}}
      - {set: third, options: {fold: false}}
      - remove: simplify
      - {insert_before: third, pass: simplify}
    """
    pipeline = load("schema: 1\nextends: base.yaml\n" + text.replace("\n    ", "\n").strip() + "\n")
    assert ids(pipeline)[:3] == ["convert_to_ssa", "simplify", "third"]
    assert given(pipeline, "third") == {"fold": False}


def test_every_value_remembers_where_it_was_written(load):
    text = "edit:\n  - set: late_simplify\n    options:\n      max_iterations: 8\n"
    entry = load(EXTEND + text).passes[-1]
    assert (entry.span.filename, entry.span.begin_line) == ("base.yaml", 8)
    assert (entry.given["max_iterations"].filename, entry.given["max_iterations"].begin_line) == ("pipeline.yaml", 6)


def test_a_chain_of_files_is_applied_from_its_end(load):
    Path("middle.yaml").write_text("schema: 1\nextends: base.yaml\nverify: none\nedit: [remove: simplify]\n")
    pipeline = load("schema: 1\nextends: middle.yaml\nedit:\n  - {insert_after: convert_to_ssa, pass: simplify}\n")
    assert (ids(pipeline)[:2], pipeline.verify) == (["convert_to_ssa", "simplify"], "none")
    assert [Path(file).name for file in pipeline.files[:3]] == ["pipeline.yaml", "middle.yaml", "base.yaml"]


def test_paths_are_relative_to_the_file_that_says_them(load):
    Path("sub").mkdir()
    Path("sub/inner.yaml").write_text("schema: 1\nextends: ../base.yaml\nplugins: [./extra.py]\n")
    Path("sub/extra.py").write_text("from pypto_build.host import hookimpl\n")
    pipeline = load("schema: 1\nextends: sub/inner.yaml\n")
    assert {str(Path.cwd() / "sub/extra.py"), str(Path.cwd() / "base.yaml")} <= set(pipeline.files)


def test_a_variant_comes_last(load):
    text = EXTEND + "verify: basic\nvariants:\n  fast:\n    verify: none\n    edit: [remove: late_simplify]\n"
    plain, fast = load(text), load(text, "fast")
    assert (plain.verify, fast.verify) == ("basic", "none")
    assert len(plain.passes) == len(fast.passes) + 1
    assert (plain.title, fast.title) == ("pipeline", "pipeline@fast")


def test_variants_are_inherited(load):
    base = BASE + "variants:\n  fast: {verify: none}\n"
    assert load(EXTEND, "fast", base=base).verify == "none"


PARAMS = """\
params:
  rounds: 3
  chip: {type: str, default: ascend910b, choices: [ascend910b, ascend950]}
hardware: ${chip}
passes:
  - use: simplify
    options: {max_iterations: "${rounds}", only: ["f${rounds}", "$${rounds}"]}
variants:
  more: {params: {rounds: 5}}
"""


def test_a_parameter_has_its_type_alone_and_is_text_inside_of_text(load):
    options = load("schema: 1\n" + PARAMS).passes[0].options
    assert (options["max_iterations"], options["only"]) == (3, ["f3", "${rounds}"])


def test_a_variant_gives_other_defaults_and_the_command_line_counts_most(load):
    def rounds(*arguments, **keywords):
        return load("schema: 1\n" + PARAMS, *arguments, **keywords).passes[0].options["max_iterations"]

    assert rounds("more") == 5
    assert rounds("more", defines={"rounds": "0x7"}) == 7


def test_a_parameter_may_choose_the_hardware(load):
    assert load("schema: 1\n" + PARAMS, defines={"chip": "ascend950"}).hardware == "ascend950"


def test_a_file_that_extends_may_change_the_default_of_a_parameter(load):
    base = HEAD + "params: {rounds: 3}\npasses:\n  - {use: simplify, options: {max_iterations: '${rounds}'}}\n"
    assert load(EXTEND + "params: {rounds: 9}\n", base=base).passes[0].options["max_iterations"] == 9


def test_text_in_braces_is_a_pipeline():
    pipeline = load_pipeline("{schema: 1, hardware: ascend950, passes: [simplify]}", ONLY_FAKES)
    assert (ids(pipeline), pipeline.hardware, pipeline.name) == (["simplify"], "ascend950", "pipeline")


def test_an_error_in_text_in_braces_shows_the_text():
    with pytest.raises(UserError) as caught:
        load_pipeline("{schema: 1, hardware: ascend950, passes: [simplifi]}", ONLY_FAKES)
    assert str(caught.value.span) == "<pipeline>:1:43"


def test_assumed_properties_hold_before_the_first_pass(load):
    assert load(HEAD + "passes: [canonicalize_io_order]\nassumes: [SSAForm]\n").assumes == ("SSAForm",)


def test_the_diagnostics_of_the_last_layer_count(load):
    base = BASE + "diagnostics: {disable: [PH900], enable: [narrow_tile]}\n"
    text = "schema: 1\nextends: base.yaml\nvariants: {loud: {diagnostics: {disable: []}}}\n"
    both = load(text, base=base)
    assert (both.disabled, both.enabled) == (("PH900",), ("narrow_tile",))
    assert (load(text, "loud", base=base).disabled, load(text, "loud", base=base).enabled) == ((), ("narrow_tile",))


def test_the_meaning_of_a_pipeline_does_not_depend_on_its_diagnostics(load):
    quiet = load(BASE + "diagnostics: {disable: [PH900]}\n")
    assert (quiet.digest, quiet.object_digest) == (load(BASE).digest, load(BASE).object_digest)


def test_an_order_that_breaks_a_rule_can_be_allowed_with_a_warning(load):
    text = HEAD + "passes: [canonicalize_io_order]\n"
    (warning,) = load(text, allow_unordered=True).warnings
    assert warning.message == "CanonicalizeIOOrder needs SSAForm, and no pass before it establishes that"
    assert warning.code == "PIPE032"


def test_the_memory_planner_is_part_of_the_identity(load):
    plain, other = load(EXTEND), load(EXTEND + "memory_planner: dsa_rp\n")
    assert (plain.memory_planner, other.memory_planner) == ("pypto", "dsa_rp")
    assert plain.object_digest != other.object_digest
