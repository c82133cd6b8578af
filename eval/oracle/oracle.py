"""The oracle: from a prompt to the reply that a perfect reader with the gold at hand would give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage
from pydantic import BaseModel

from hoptrail.agents.evidence.evidence_index import topic_of
from hoptrail.agents.language.capitalised_names import proper_names
from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.text import normalize_answer, sentences
from hoptrail.eval.metrics.answer_scores import heuristic_match
from hoptrail.eval.oracle.answer_reply import answer_reply, short_reply
from hoptrail.eval.oracle.decisions import (
    ROUTES,
    Noise,
    decompose,
    judge_paths,
    route_of,
    write_concepts,
    write_constraints,
    write_keywords,
    write_query,
)
from hoptrail.eval.oracle.evidence_text import EvidenceText, spells
from hoptrail.eval.oracle.presence import find_answers, step_answers
from hoptrail.eval.questions.question import Question
from hoptrail.prompts.forms.graphrag import HelpfulPoint, HelpfulPoints
from hoptrail.prompts.forms.planning import StandaloneQuestion

_SHOWN = 80

_EVIDENCE = re.compile(r"<evidence>\n(.*?)\n?</evidence>", re.DOTALL)


class GoldBook:
    """Questions by their text: as it is written, else normalised.

    MuSiQue has questions that differ in their capitals alone, with different gold. Of two that
    read exactly alike the first one counts.
    """

    def __init__(self, questions: Iterable[Question]) -> None:
        self._by_text: dict[str, Question] = {}
        self._by_key: dict[str, Question] = {}
        for question in questions:
            self._by_text.setdefault(question.text.strip(), question)
            self._by_key.setdefault(_key(question.text), question)

    def look_up(self, text: str) -> Question:
        """Return the question that reads like this, whatever its case, marks and white space.

        Raises:
            InputError: If there is none.
        """
        question = self._by_text.get(text.strip()) or self._by_key.get(_key(text))
        if question is None:
            shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
            raise InputError(
                f"the oracle reader knows no question {shown!r}",
                hint="it answers the questions that it was made with; use a language model",
            )
        return question


def _key(text: str) -> str:
    return normalize_answer(text) or text.strip()


@dataclass(frozen=True, slots=True)
class PromptReading:
    """A prompt as the oracle reads it.

    `name` is the prompt's name, `step` the place of the sub-question that it is about, if any.
    """

    role: str
    name: str
    question: str
    step: int | None
    text: str
    evidence: EvidenceText


def read_prompt(messages: Sequence[BaseMessage]) -> PromptReading:
    """Read the metadata and the evidence of a prompt.

    The evidence stands between evidence tags; where a prompt of the user's own has none, all of its
    text counts but the question.

    Raises:
        InputError: If no message carries the metadata of Hoptrail's prompts.
    """
    metadata = next(
        (m.additional_kwargs["hoptrail"] for m in messages if "hoptrail" in m.additional_kwargs),
        None,
    )
    if metadata is None:
        raise InputError(
            "the oracle reader answers Hoptrail's own prompts, and this is none",
            hint="use it as --reader of an evaluation",
        )
    text = "\n\n".join(str(message.text) for message in messages)
    question = str(metadata.get("question", ""))
    tagged = _EVIDENCE.findall(text)
    evidence = "\n".join(tagged)
    if not tagged:
        evidence = text.replace(question, " ") if question else text
    return PromptReading(
        str(metadata.get("role", "")),
        str(metadata.get("prompt", "")),
        question,
        metadata.get("step"),
        text,
        EvidenceText(evidence),
    )


Reply = str | BaseModel

_REPORTS = re.compile(r"<reports>\n(.*?)\n?</reports>", re.DOTALL)
_NUMBER = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
_POINTS = 8
"""A reader takes no more from one batch."""


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


_Write = Callable[[Oracle, PromptReading], Reply]
_BY_PROMPT: dict[str, _Write] = {
    "contextualize": lambda _, prompt: StandaloneQuestion(question=prompt.question),
    "decompose": Oracle._decompose,
    "write_concepts": lambda _, prompt: write_concepts(prompt.question),
    "write_constraints": lambda _, prompt: write_constraints(prompt.question),
    "write_keywords": lambda _, prompt: write_keywords(prompt.question),
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


def read_reports(question: Question, text: str) -> HelpfulPoints:
    """Return the sentences of the reports in a prompt that spell an answer of the gold.

    The last step's answers come first. Whether such a sentence is a support is decided where the
    answer is given, as for any other evidence.
    """
    forms = [question.accepted]
    forms += [step_answers(question, step) for step in reversed(range(len(question.steps)))]
    points = [
        HelpfulPoint(text=sentence, helpfulness=100 - rank, reports=[number])
        for rank, accepted in enumerate(forms)
        for number, sentence in _sentences(text)
        if any(spells(sentence, form) for form in accepted)
    ]
    distinct = {point.text: point for point in reversed(points)}
    return HelpfulPoints(points=[*distinct.values()][::-1][:_POINTS])


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence of the reports with the report's number."""
    for reports in _REPORTS.findall(text):
        numbers = [int(number) for number in _NUMBER.findall(reports)]
        for number, report in zip(numbers, _NUMBER.split(reports)[2::2], strict=True):
            for line in re.split(r"\n(?:  - )?", report):
                for sentence in sentences(line):
                    yield number, sentence


def wrong_answers(
    question: Question, evidence: EvidenceText, accepted: tuple[str, ...]
) -> tuple[str, ...]:
    """Return names in the evidence that no accepted form matches, in order.

    They are the passages' titles and the ends of triples, else names in the text.
    """
    names = [topic_of(passage.title) for passage in evidence.passages]
    names += [end for triple in evidence.triples for end in (triple.subject, triple.object)]
    gold = (*accepted, *question.accepted)
    for candidates in (names, proper_names(evidence.text)):
        wrong = dict.fromkeys(name for name in candidates if not heuristic_match(name, gold))
        if wrong:
            return tuple(wrong)
    return ()
