"""Answer a question of one or two steps with what sentences, labelled lines and rows say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.language.word_groups import word_groups
from hoptrail.agents.reading.claims import claims_of
from hoptrail.agents.reading.nested_question import nested_questions
from hoptrail.agents.reading.sentence_reader import Reading, SentenceReader
from hoptrail.core.types.draft import Draft

# Chosen on the everyday questions and half of a second set; see benchmarks/everyday/README.md.
MIN_SCORE = 1.5
MIN_FIT = 0.5
PLAIN_SCORE = 1.6
PLAIN_COVERAGE = 0.5
_MOST_BRIDGES = 2
_SKIPPED_STEP = 0.15
_RIVALS = "the passage has another value that fits nearly as well"


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer with the readings that lead to it, one a step; `score` is their mean."""

    readings: tuple[Reading, ...]
    skips_step: bool = False

    @property
    def score(self) -> float:
        """The mean of the readings' scores, less where one reading stands for two steps."""
        mean = sum(reading.score for reading in self.readings) / len(self.readings)
        return mean - _SKIPPED_STEP * self.skips_step

    @property
    def reserve(self) -> str:
        """Why the answer is given with reserve, empty where nothing speaks against it."""
        words_it = all(
            reading.names_all and min(reading.coverage, reading.wording) >= PLAIN_COVERAGE
            for reading in self.readings
        )
        if words_it and self.score >= PLAIN_SCORE:
            return "" if not any(one.has_rival for one in self.readings) else _RIVALS
        return "the passage words it in another way than the question"

    @property
    def is_likely(self) -> bool:
        """Whether the answer may be given at all.

        One sentence must have a word of what is asked about the names: a person's page does not
        tell who her husband was by naming somebody.
        """
        if len(self.readings) == 1 and not self.readings[0].wording:
            return False
        return self.score >= MIN_SCORE and all(
            reading.fit >= MIN_FIT and reading.names_all and not reading.is_denied
            for reading in self.readings
        )


def read_answer(question: str, graph: SentenceGraph, similarity: TextSimilarity) -> Draft | None:
    """Return the best answer that the evidence words for a question, None where none is likely.

    Args:
        question: The standalone question.
        graph: The evidence.
        similarity: Compares texts by meaning.
    """
    reader = SentenceReader(graph.index, similarity)
    found = max(_answers(question, reader), key=lambda one: round(one.score, 5), default=None)
    if found is None or not found.is_likely:
        return None
    hops = tuple(claims_of(question, found.readings, graph))
    return Draft(
        "graph_search",
        answers=(found.readings[-1].value.text,),
        hops=hops,
        score=round(found.score, 5),
        # One reading for two steps is held against the whole question, like any chain.
        reserve=found.reserve or (None if found.skips_step else ""),
    )


def _answers(question: str, reader: SentenceReader) -> Iterator[ReadAnswer]:
    nested_ways = nested_questions(question)
    for reading in reader.read(question)[:1]:
        yield ReadAnswer((reading,), skips_step=bool(nested_ways))
    for nested in nested_ways:
        likely = (one for one in reader.read(nested.inner, question) if one.fit >= MIN_FIT)
        for bridge, _ in zip(likely, range(_MOST_BRIDGES), strict=False):
            outer = nested.outer.replace("{}", bridge.value.text)
            known = word_groups(bridge.value.text)
            for reading in reader.read(outer, question):
                if known & (reading.statement.own | reading.statement.place):
                    yield ReadAnswer((bridge, reading))
                    break
