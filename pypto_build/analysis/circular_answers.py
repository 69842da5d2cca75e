# SPDX-License-Identifier: Apache-2.0
"""Answers to questions that depend on one another, in circles too: each is worked out once.

An answer that was found with the help of an assumption about a question still open holds as long as the assumption; it
becomes final together with that question, and is forgotten when the assumption turns out wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class CircularAnswers(Generic[Question, Answer]):
    """Remembers answers. Open questions stand on a stack; a tentative answer knows the deepest one that it rests on."""

    def __init__(self) -> None:
        self._final: dict[Question, Answer] = {}
        self._tentative: dict[Question, tuple[Answer, int]] = {}
        self._depth: dict[Question, int] = {}
        # one entry per open question: what is assumed, whether anybody was told, the deepest question used, and the
        # answers that rest on it
        self._assumed: list[Answer] = []
        self._told: list[bool] = []
        self._low: list[int] = []
        self._resting: list[list[Question]] = []

    def ask(self, question: Question, assumed: Answer, *, answer: Callable[[], Answer]) -> Answer:
        """The answer; while it is worked out, whoever asks the same is told what is assumed."""
        if question in self._final:
            return self._final[question]
        if question in self._tentative:
            known, low = self._tentative[question]
            self._used(low)
            return known
        if question in self._depth:
            return self._tell(self._depth[question])
        depth = self._depth[question] = len(self._low)
        self._assumed.append(assumed)
        self._told.append(False)
        self._low.append(depth + 1)
        self._resting.append([])
        return self._closed(question, answer())

    def assume(self, question: Question, assumed: Answer) -> None:
        """From now on, tell this to whoever asks an open question."""
        depth = self._depth[question]
        if self._assumed[depth] != assumed:
            self._assumed[depth] = assumed
            self._forget(depth)

    def _tell(self, depth: int) -> Answer:
        self._told[depth] = True
        self._used(depth)
        return self._assumed[depth]

    def _used(self, depth: int) -> None:
        if self._low:
            self._low[-1] = min(self._low[-1], depth)

    def _forget(self, depth: int) -> None:
        """Answers that may rest on the question at a depth: they rest on it, or on a deeper one and perhaps on it."""
        if not self._told[depth]:
            return
        self._told[depth] = False
        for resting in self._resting[: depth + 1]:
            for question in resting:
                del self._tentative[question]
            resting.clear()

    def _closed(self, question: Question, answer: Answer) -> Answer:
        depth = self._depth.pop(question)
        if answer != self._assumed[depth]:
            self._forget(depth)
        del self._assumed[depth], self._told[depth]
        low = self._low.pop()
        if low >= depth:
            self._final[question] = answer
            for resting in self._resting.pop():
                self._final[resting] = self._tentative.pop(resting)[0]
            return answer
        self._rest([(question, answer), *self._moved(low)], low)
        del self._resting[depth]
        self._used(low)
        return answer

    def _moved(self, low: int) -> list[tuple[Question, Answer]]:
        """Answers that rest on a question above a depth, and perhaps on that depth too through the one that closes."""
        moved = [(one, self._tentative[one][0]) for resting in self._resting[low + 1 :] for one in resting]
        for resting in self._resting[low + 1 :]:
            resting.clear()
        return moved

    def _rest(self, answers: list[tuple[Question, Answer]], low: int) -> None:
        for question, answer in answers:
            self._tentative[question] = (answer, low)
            self._resting[low].append(question)
