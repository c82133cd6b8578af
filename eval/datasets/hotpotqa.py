"""HotpotQA (Yang et al., 2018): bridge and comparison questions with supporting sentences."""

from __future__ import annotations

from hoptrail.eval.datasets.example import PublicSet
from hoptrail.eval.datasets.hotpot_form import hotpot_example
from hoptrail.eval.datasets.origin import Origin, Part

QUESTIONS = Part(
    files=(
        "hotpot_{split}_distractor*.json",
        "hotpot_{split}*.json",
        "distractor/{hub_split}-*.parquet",
    ),
    hub=("hotpotqa/hotpot_qa", "distractor"),
)


def read_hotpotqa(origin: Origin) -> PublicSet:
    """Read the questions of a split with the ten paragraphs of each."""
    return PublicSet(hotpot_example(item, joiner="") for item in origin.records(QUESTIONS))
