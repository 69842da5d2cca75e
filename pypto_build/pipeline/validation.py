# SPDX-License-Identifier: Apache-2.0
"""Holding a YAML tree against the schema: every misfit becomes an error at its place, and the rest goes on.

A part that does not fit is reported and cut out, and what remains is held against the schema again. So one misspelled
key neither hides the errors after it nor makes false ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel, ValidationError

from pypto_build.errors import UserError
from pypto_build.host.suggest import did_you_mean
from pypto_build.pipeline import schema
from pypto_build.pipeline.option_types import shown
from pypto_build.pipeline.yaml_nodes import Mapping as YamlMapping
from pypto_build.pipeline.yaml_nodes import Node, Path, Sequence, key_span, nearest_node, node_at, plain, without

Model = type[BaseModel]


@dataclass(frozen=True, slots=True)
class Checked:
    """The part of a tree that fits, or None, and what was wrong with the rest."""

    node: Node | None
    problems: tuple[UserError, ...]


def check_file(root: Node) -> Checked:
    """Hold a whole file against the schema."""
    problem = _version_problem(root)
    if problem is not None:
        return Checked(None, (problem,))
    checked = _fit(root, schema.FileModel, ())
    if checked.node is None:
        return checked
    node, problems = checked.node, list(checked.problems)
    for path in [("edit",), *(("variants", name, "edit") for name in _keys(node, ("variants",)))]:
        fitted = _fit_edits(node, path)
        node = fitted.node or node
        problems += fitted.problems
    return Checked(node, tuple(problems))


def _version_problem(root: Node) -> UserError | None:
    if not isinstance(root, YamlMapping):
        return UserError("PIPE004", f"a pipeline file is a mapping, not {shown(plain(root))}", root.span)
    version = root.get("schema")
    if version is None:
        return UserError("PIPE003", "`schema` is missing", root.span, help="begin the file with `schema: 1`")
    if plain(version) != schema.SCHEMA_VERSION or isinstance(plain(version), bool):
        given = shown(plain(version))
        return UserError("PIPE005", f"`schema` is {given}, and this version reads schema 1", version.span)
    return None


def _fit(root: Node, model: Model, base: Path) -> Checked:
    """Cut out of the node at `base` whatever does not fit the model."""
    problems: list[UserError] = []
    gone: set[Path] = set()
    while True:
        try:
            model.model_validate(plain(nearest_node(root, base)), strict=True)
            return Checked(root, tuple(problems))
        except ValidationError as error:
            misfits = [_Misfit.of(one, base) for one in error.errors(include_url=False)]
        problems += [misfit.problem(root, model, base) for misfit in misfits if misfit.path not in gone]
        gone |= {misfit.path for misfit in misfits}
        cuts = {_existing(root, misfit.cut) for misfit in misfits}
        for cut in sorted(cuts, key=lambda path: tuple(map(_order, path)), reverse=True):  # later items first
            if len(cut) <= len(base):
                return Checked(without(root, base) if base else None, tuple(problems))
            root = without(root, cut)


def _existing(root: Node, path: Path) -> Path:
    """The path as far as it was written: the schema also speaks of what short forms stand for."""
    while path and node_at(root, path) is None:
        path = path[:-1]
    return path


def _order(step: str | int) -> tuple[int, str]:
    return (step, "") if isinstance(step, int) else (-1, step)


def _fit_edits(root: Node, path: Path) -> Checked:
    """Hold each edit against the model of its operation."""
    edits = node_at(root, path)
    problems: list[UserError] = []
    for index in reversed(range(len(edits.items) if isinstance(edits, Sequence) else 0)):
        place = (*path, index)
        node = nearest_node(root, place)
        operations = [key for key in _keys(root, place) if key in schema.EDITS]
        if len(operations) == 1:
            checked = _fit(root, schema.EDITS[operations[0]], place)
            root = checked.node or root
            problems[:0] = checked.problems
        else:
            problems.insert(0, _operation_problem(node, operations))
            root = without(root, place)
    return Checked(root, tuple(problems))


def _operation_problem(node: Node, operations: list[str]) -> UserError:
    if operations:
        named = " and ".join(f"`{one}`" for one in operations)
        return UserError("PIPE009", f"one edit has {named}", node.span, help="write an edit for each")
    keys = _keys(node, ())
    near = next((help for help in (did_you_mean(key, schema.EDITS) for key in keys) if help), "")
    known = ", ".join(f"`{one}`" for one in schema.EDITS)
    return UserError("PIPE009", "the edit names no operation", node.span, help=near or f"an edit has one of {known}")


@dataclass(frozen=True, slots=True)
class _Misfit:
    """One complaint of the schema library about one path."""

    kind: str
    path: Path
    value: object
    context: Mapping[str, object]
    message: str
    is_key: bool

    @staticmethod
    def of(error: object, base: Path) -> _Misfit:
        """From the library's own form of it."""
        facts = cast(Mapping[str, object], error)
        place = cast(Path, facts["loc"])
        path = (*base, *(step for step in place if step != "[key]"))
        context = cast(Mapping[str, object], facts.get("ctx") or {})
        return _Misfit(str(facts["type"]), path, facts["input"], context, str(facts["msg"]), "[key]" in place)

    @property
    def cut(self) -> Path:
        """What to leave out so that the rest may fit: the entry around a missing key, otherwise what does not fit."""
        return self.path[:-1] if self.kind == "missing" else self.path

    def problem(self, root: Node, model: Model, base: Path) -> UserError:
        """The complaint in our words, at its place."""
        name = self._name()
        match self.kind:
            case "extra_forbidden":
                keys = _known_keys(model, self.path[len(base) : -1])
                near = did_you_mean(str(self.path[-1]), keys)
                known = "known keys: " + ", ".join(f"`{key}`" for key in keys)
                return UserError("PIPE002", f"unknown key {name}", key_span(root, self.path), help=near or known)
            case "missing":
                return UserError("PIPE003", f"{name} is missing", nearest_node(root, self.path[:-1]).span)
            case "string_pattern_mismatch":
                place = key_span(root, self.path) if self.is_key else nearest_node(root, self.path).span
                message = f"{shown(self.value)} is not a name"
                return UserError("PIPE004", message, place, help="a name is lower case: letters, digits and `_`")
            case _:
                place = nearest_node(root, self.path).span
                return UserError("PIPE004", f"{name} {self._expectation()}", place)

    def _expectation(self) -> str:
        given = shown(self.value)
        match self.kind:
            case "entry" | "scalar":
                return f"{self.message}, not {given}"
            case "literal_error":
                return f"takes {str(self.context.get('expected', '')).replace(chr(39), '`')}, not {given}"
            case "too_short":
                return "must not be empty"
            case "greater_than":
                return f"must be greater than {self.context.get('gt'):g}"
            case _:
                return f"takes {_TAKES.get(self.kind, 'something else')}, not {given}"

    def _name(self) -> str:
        texts = [step for step in self.path if isinstance(step, str)]
        last = f"`{texts[-1]}`" if texts else "the file"
        return f"an item of {last}" if isinstance(self.path[-1], int) else last


_TAKES = {
    "string_type": "text",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
}


def _known_keys(model: Model, path: Path) -> list[str]:
    """The keys that the schema knows at a path."""
    match path:
        case ("variants", _, *rest):
            return _known_keys(schema.VariantModel, tuple(rest))
        case ("passes", _) | ("with",) | ("pass",):
            model = schema.PassModel
        case ("targets", _) | ("simulator",):
            model = schema.RunnerModel
        case ("params", _):
            model = schema.ParamModel
        case _:
            pass
    return sorted(field.alias or name for name, field in model.model_fields.items())


def _keys(root: Node, path: Path) -> tuple[str, ...]:
    node = node_at(root, path)
    return node.keys() if isinstance(node, YamlMapping) else ()
