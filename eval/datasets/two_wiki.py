"""2WikiMultiHopQA (Ho et al., 2020): questions over Wikipedia with Wikidata triples as evidence."""

from __future__ import annotations

from hoptrail.eval.datasets.example import PublicSet
from hoptrail.eval.datasets.hotpot_form import hotpot_example
from hoptrail.eval.datasets.origin import Origin, Part

QUESTIONS = Part(
    files=("{split}.json", "data/{split}.json", "data/{hub_split}-*.parquet"),
    hub=("ohjoonhee/2WikiMultihopQA", None),
)


def read_two_wiki(origin: Origin) -> PublicSet:
    """Read the questions of a split with the ten paragraphs of each."""
    records = origin.records(QUESTIONS)
    return PublicSet(hotpot_example(item, joiner=" ", extra=("evidences",)) for item in records)
