# SPDX-License-Identifier: Apache-2.0
"""ReturnParamsExplicit: what consumers read off a function, and what the verifier holds against it."""

import pytest
from pypto_passes.normalize_return_order import verify_return_params_explicit
from pypto_targets.orchestration.target import OrchestrationTarget

from pypto_build.analysis.returned_params import NO_PARAM, returned_params
from pypto_build.errors import Span
from pypto_build.host import Contribution, Kind
from pypto_build.ir import Program, frozen_map, rebuilt
from pypto_build.passes import PassContext
from pypto_build.pipeline.order import check_order
from pypto_build.pipeline.planned import Planned
from tests.passes.programs import method
from tests.passes.return_order_programs import KERNEL, normalized, program, violations

CONTRIBUTION = Contribution(Kind.TARGET, "orchestration", ":X", "p")
ALIAS = "function 'kernel' returns an alias of parameter '{}' at position {} instead of the parameter itself"


@pytest.mark.parametrize(("values", "expected"), [("a, b", (1, 2)), ("b, a", (2, 1)), ("a, own", (1, NO_PARAM))])
def test_a_result_is_a_parameter_when_it_is_that_object(values, expected):
    """NRO-35."""
    kernel = method(program((KERNEL, f"own = pl.tensor.adds(x, 1.0)\nreturn {values}")), "kernel")
    assert returned_params(kernel) == expected


def test_an_alias_is_not_searched_through():
    """NRO-35: the pass has done so."""
    before = program((KERNEL, "c = a\nd = b\nreturn c, d"))
    assert returned_params(method(before, "kernel")) == (NO_PARAM, NO_PARAM)
    assert returned_params(method(normalized(before), "kernel")) == (1, 2)


def test_without_a_return_nothing_is_known():
    """NRO-35."""
    assert returned_params(method(program(("InCore kernel(a: Out[T32])", "c = a")), "kernel")) is None


def test_the_verifier_reports_every_alias_at_the_line_of_the_return():
    """NRO-36."""
    before = program((KERNEL, "c = a\nt = pl.tile.load(x, [0], [64])\nd = pl.tile.store(t, [0], b)\nreturn c, d"))
    found = list(verify_return_params_explicit(before, PassContext()))
    assert [one.message for one in found] == [ALIAS.format("a", 0), ALIAS.format("b", 1)]
    assert {one.span.begin_line for one in found} == {8}


def test_the_verifier_follows_calls_by_its_own_means():
    """NRO-36: the callee returns an alias, and its caller an alias of that."""
    kernel = ("InCore kernel(a: Out[T32]) -> T32", "c = a\nreturn c")
    wrap = ("Group wrap(p: Out[T32]) -> T32", "r = self.kernel(p)\nreturn r")
    assert violations(program(kernel, wrap)) == [
        ALIAS.format("a", 0),
        ALIAS.format("p", 0).replace("kernel", "wrap"),
    ]


def test_the_verifier_exempts_what_leads_nowhere():
    """NRO-37."""
    assert violations(program((KERNEL, "own = pl.tensor.adds(x, 1.0)\nreturn a, own"))) == []


def test_the_verifier_exempts_functions_whose_body_lives_elsewhere():
    """NRO-37."""
    kernel = method(program(("InCore kernel(a: Out[T32]) -> T32", "c = a\nreturn c")), "kernel")
    external = rebuilt(kernel, {"attrs": frozen_map({"external_source": "kernel.cpp"})})
    assert violations(Program([kernel])) == [ALIAS.format("a", 0)]
    assert violations(Program([external])) == []


def test_tensor_results_without_a_return_are_an_error():
    """NRO-37."""
    before = program(("InCore kernel(a: Out[T32]) -> T32", "c = a"))
    assert violations(before) == ["function 'kernel' declares tensor results but has no ReturnStmt"]


def test_other_results_without_a_return_are_none():
    """NRO-37: only a tensor could have been a parameter."""
    number = "pl.Scalar[pl.INT64]"
    assert violations(program((f"InCore kernel(n: {number}) -> {number}", "m = n"))) == []


def test_the_orchestration_target_is_refused_without_it():
    """NRO-38: the plan says so before anything runs."""
    place = Span("p.yaml", 3, 1)
    target = Planned("t", "orchestration", "orchestration", OrchestrationTarget(), {}, {}, CONTRIBUTION, place)
    needed = frozenset(one.name for one in OrchestrationTarget.requires)
    found = check_order((), (target,), given=needed - {"ReturnParamsExplicit"}, producers=lambda _: ())
    message = "target `orchestration` needs ReturnParamsExplicit, and no pass before it establishes that"
    assert [one.message for one in found] == [message]
    assert check_order((), (target,), given=needed, producers=lambda _: ()) == ()
