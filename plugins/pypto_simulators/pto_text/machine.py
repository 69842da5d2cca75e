# SPDX-License-Identifier: Apache-2.0
"""A program of which the kernels are run from their text, and everything above them from its IR."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.return_lineage import ReturnLineage, traced_returns
from pypto_build.errors import UserError
from pypto_build.host import SimulationRequest
from pypto_build.ir import Function, FunctionType
from pypto_simulators.functional.errors import WRONG_VALUE, fail
from pypto_simulators.functional.frame import Frame
from pypto_simulators.functional.machine import Machine
from pypto_simulators.functional.semantics.references import semantics_with
from pypto_simulators.functional.values import Value
from pypto_simulators.pto_text.activation import Activation
from pypto_simulators.pto_text.errors import NO_TEXT
from pypto_simulators.pto_text.execution import execute
from pypto_simulators.pto_text.kernel_arguments import kernel_arguments
from pypto_simulators.pto_text.module import Kernel
from pypto_simulators.pto_text.reader import read_module

KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)


class TextMachine(Machine):
    """A machine that carries out a kernel by its text."""

    def __init__(self, request: SimulationRequest, *, max_iterations: int) -> None:
        super().__init__(
            request.program,
            request.ops,
            hardware=request.hardware,
            semantics=semantics_with(request.ops),
            max_iterations=max_iterations,
            addressed=True,
        )
        self._texts = {path: data.decode() for path, data in request.members.items() if path.endswith(".pto")}
        self._kernels = kernels_of(self._texts)
        self._returned: dict[str, tuple[int, ...]] = {}

    def perform(self, frame: Frame) -> tuple[Value, ...] | None:
        """Carry out a kernel by its text, another function by its IR."""
        function = frame.function
        if function.func_type not in KERNELS:
            return super().perform(frame)
        kernel = self._kernels.get(function.name)
        if kernel is None:
            message = f"there is no text of kernel {function.name}"
            raise fail(NO_TEXT, message, function.span, help="simulate an object that the target pto took part in")
        try:
            self._run(frame, kernel)
        except UserError as problem:
            text = self._texts.get(problem.span.filename)
            problem.source_lines = problem.source_lines if text is None else tuple(text.splitlines())
            raise
        return tuple(frame.values[function.params[index]] for index in self._returned_params(function))

    def _run(self, frame: Frame, kernel: Kernel) -> None:
        frame.memory = self.memory()
        Activation(frame, frame.memory, execute).run(kernel.body, kernel_arguments(frame, kernel))

    def _returned_params(self, function: Function) -> tuple[int, ...]:
        """The parameters that a kernel hands back: its text only writes to them.

        Raises:
            UserError: it returns something that is no parameter, which its text has nowhere to leave.
        """
        known = self._returned.get(function.name)
        if known is not None:
            return known
        found = traced_returns(function, ReturnLineage(function, self.ops, lambda _: None)) or ()
        if any(index < 0 for index in found):
            message = f"{function.name} returns a value that its text leaves nowhere"
            raise fail(WRONG_VALUE, message, function.span)
        self._returned[function.name] = found
        return found


def kernels_of(texts: Mapping[str, str]) -> dict[str, Kernel]:
    """The kernels in texts, which have a path, by name."""
    modules = (read_module(path, text) for path, text in sorted(texts.items()))
    return {kernel.name: kernel for module in modules for kernel in module.kernels}
