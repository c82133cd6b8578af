"""The oracle: from a prompt to the reply that a perfect reader with the gold at hand would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from hoptrail.core.errors import SettingsError
from hoptrail.eval.oracle.allowed_answers import find_answers
from hoptrail.eval.oracle.answer_reply import answer_reply, short_reply
from hoptrail.eval.oracle.gold_book import GoldBook
from hoptrail.eval.oracle.noise import Noise
from hoptrail.eval.oracle.path_judging import judge_paths
from hoptrail.eval.oracle.planning import (
    ROUTES,
    decompose,
    route_of,
    write_concepts,
    write_constraints,
    write_keywords,
    write_query,
)
from hoptrail.eval.oracle.prompt_reading import PromptReading, read_prompt
from hoptrail.eval.oracle.report_reading import read_reports
from hoptrail.eval.oracle.supports import step_answers
from hoptrail.eval.oracle.wrong_answers import wrong_answers
from hoptrail.prompts.forms.planning import StandaloneQuestion

Reply = str | BaseModel


@dataclass(frozen=True, slots=True)
class Oracle:
    """Replies to prompts by name, to prompts that it has never heard of by role."""

    book: GoldBook
    noise: Noise

    def reply(self, messages: Sequence[BaseMessage]) -> Reply:
        """Return the reply to a prompt.

        Raises:
            InputError: If the prompt's question or step is not known.
            SettingsError: If the prompt asks for writing that gold says nothing about.
        """
        prompt = read_prompt(messages)
        by_prompt = _BY_PROMPT.get(prompt.name)
        write = by_prompt or _BY_ROLE.get(prompt.role)
        if write is None:
            raise SettingsError(
                f"the oracle reader cannot do the work of role {prompt.role!r}"
                f" (prompt {prompt.name!r}): it reads, it does not write",
                hint="name a language model for that role, or choose a preset without it",
            )
        return write(self, prompt)

    def _route(self, prompt: PromptReading) -> Reply:
        question = self.book.look_up(prompt.question)
        route = route_of(question)
        if not self.noise.flips("route", question.id):
            return route
        others = [other for other in ROUTES if other != route]
        return self.noise.choose(others, "route", question.id)

    def _answer(self, prompt: PromptReading) -> Reply:
        question = self.book.look_up(prompt.question)
        allowed = find_answers(question, prompt.step, prompt.evidence)
        decision = ("answer", prompt.name, question.id, prompt.step)
        if self.noise.flips(*decision):
            return short_reply(() if allowed.answers else self._wrong(prompt, decision))
        if prompt.step is not None:
            return short_reply(allowed.answers)
        return answer_reply(prompt.name, question, allowed, prompt.evidence)

    def _wrong(self, prompt: PromptReading, decision: tuple[object, ...]) -> tuple[str, ...]:
        question = self.book.look_up(prompt.question)
        steps = range(len(question.steps))
        accepted = tuple(form for step in steps for form in step_answers(question, step))
        names = wrong_answers(question, prompt.evidence, accepted)
        return (self.noise.choose(names, *decision),) if names else ()

    def _decompose(self, prompt: PromptReading) -> Reply:
        return decompose(self.book.look_up(prompt.question))

    def _write_concepts(self, prompt: PromptReading) -> Reply:
        return write_concepts(prompt.question)

    def _write_constraints(self, prompt: PromptReading) -> Reply:
        return write_constraints(prompt.question)

    def _write_keywords(self, prompt: PromptReading) -> Reply:
        return write_keywords(prompt.question)

    def _judge_paths(self, prompt: PromptReading) -> Reply:
        return judge_paths(self.book.look_up(prompt.question), prompt.text, self.noise)

    def _map_communities(self, prompt: PromptReading) -> Reply:
        return read_reports(self.book.look_up(prompt.question), prompt.text)

    def _write_query(self, prompt: PromptReading) -> Reply:
        return write_query(self.book.look_up(prompt.question), prompt.evidence.text)

    def _check_hops(self, prompt: PromptReading) -> Reply:
        raise SettingsError(
            "the oracle reader cannot check a trail: gold does not tell what a quote states",
            hint="leave verify at words, or name a language model with --model judge=...",
        )

    def _contextualize(self, prompt: PromptReading) -> Reply:
        return StandaloneQuestion(question=prompt.question)


_Write = Callable[[Oracle, PromptReading], Reply]
_BY_PROMPT: dict[str, _Write] = {
    "contextualize": Oracle._contextualize,
    "decompose": Oracle._decompose,
    "write_concepts": Oracle._write_concepts,
    "write_constraints": Oracle._write_constraints,
    "write_keywords": Oracle._write_keywords,
    "write_query": Oracle._write_query,
    "judge_paths": Oracle._judge_paths,
    "check_hops": Oracle._check_hops,
    "map_communities": Oracle._map_communities,
}
_BY_ROLE: dict[str, _Write] = {
    "router": Oracle._route,
    "answerer": Oracle._answer,
    "solver": Oracle._answer,
    "decomposer": Oracle._decompose,
    "judge": Oracle._judge_paths,
}
