"""Partial answers of the oracle from numbered community reports (prompt `map_communities`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.core.text import sentences
from hoptrail.eval.oracle.supports import step_answers
from hoptrail.eval.oracle.word_spans import spells
from hoptrail.eval.questions.question import Question
from hoptrail.prompts.forms.graphrag import HelpfulPoint, HelpfulPoints

_REPORTS = re.compile(r"<reports>\n(.*?)\n?</reports>", re.DOTALL)
_NUMBER = re.compile(r"^\[(\d+)\] ", re.MULTILINE)
_POINTS = 8
"""A reader takes no more from one batch."""


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
