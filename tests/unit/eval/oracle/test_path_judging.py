from __future__ import annotations

from typing import Any

import pytest

from hoptrail.eval.oracle.noise import Noise
from hoptrail.eval.oracle.path_judging import judge_paths, verdict_on
from hoptrail.eval.oracle.triples import parse_path
from hoptrail.eval.questions.question import Question
from tests.unit.eval.oracle.conftest import chained

ON_GRAPH = Question(
    "g",
    "who acted with mara",
    (("Ida",),),
    1,
    topic_entities=("Mara",),
    relation_paths=(("starred_actors", "starred_actors"),),
)


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("Tides | starred actors | Mara -> Tides | starred actors | Ida", "complete"),
        ("Mara | married to | Ida", "irrelevant"),
        ("Tides | starred actors | Mara", "partial"),
        ("Tides | starred actors | Nils", "irrelevant"),
        ("Tides | starred actors | Mara -> Tides | directed by | Nils", "irrelevant"),
    ],
)
def test_with_a_gold_relation_path(path: str, verdict: str) -> None:
    assert verdict_on(ON_GRAPH, parse_path(path)) == verdict


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        (
            "Morning Tern | built at | Alder Yard -> Alder Yard | founded by | Edda Thorn",
            "complete",
        ),
        ("Morning Tern | built at | the Alder Yard", "partial"),
        ("Morning Tern | built in | 1871", "irrelevant"),
    ],
)
def test_without_a_relation_path(path: str, verdict: str) -> None:
    assert verdict_on(chained(), parse_path(path)) == verdict


@pytest.mark.parametrize("gold", [{"type": "Null"}, {"answers": (("yes",),)}])
def test_what_no_path_can_reach_is_never_complete(gold: dict[str, Any]) -> None:
    path = parse_path("Morning Tern | is | Edda Thorn -> Edda Thorn | said | yes")
    assert verdict_on(chained(steps=(), **gold), path) == "irrelevant"


def test_a_name_of_the_question_is_where_a_path_starts_not_what_it_reaches() -> None:
    compared = chained(text="Which is older, Alder Yard or Port Selwick?", steps=(),
                       answers=(("Alder Yard",),))  # fmt: skip
    assert verdict_on(compared, parse_path("Alder Yard | stood in | Port Selwick")) == "irrelevant"


def test_a_line_that_helps_gets_a_verdict_and_a_partial_one_the_next_step() -> None:
    prompt = "<paths>\n[2] Morning Tern | built at | Alder Yard\n[4] a | b | c\n</paths>"
    verdicts = judge_paths(chained(), prompt, Noise()).verdicts
    assert [(v.path, v.verdict, v.next_question) for v in verdicts] == [
        (2, "partial", "Who founded Alder Yard?"),
    ]


def test_noise_flips_a_verdict_whatever_its_number_is() -> None:
    prompts = ["[1] a | b | c", "[7] x | y | z\n[8] a | b | c"]
    found = [judge_paths(chained(), prompt, Noise(1.0)).verdicts[-1].verdict for prompt in prompts]
    assert found[0] == found[1] != "irrelevant"
