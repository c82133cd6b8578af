"""Plans, verdicts on paths, and the noise that flips decisions."""

from __future__ import annotations

from typing import Any

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.eval.oracle.decisions import (
    Noise,
    decompose,
    judge_paths,
    route_of,
    verdict_on,
    write_concepts,
    write_constraints,
    write_keywords,
    write_query,
)
from hoptrail.eval.oracle.evidence_text import parse_path
from hoptrail.eval.questions.question import GoldStep, Question
from tests.ships import QUESTION
from tests.unit.eval.oracle.conftest import chained

ON_GRAPH = Question(
    "g",
    "who acted with mara",
    (("Ida",),),
    1,
    topic_entities=("Mara",),
    relation_paths=(("starred_actors", "starred_actors"),),
)


def test_the_gold_steps_keep_their_references() -> None:
    steps = ["What yard built the Morning Tern?", "Who founded #1?"]
    assert decompose(chained()).sub_questions == steps


def test_without_gold_steps_the_question_is_its_own_decomposition() -> None:
    assert decompose(chained(steps=())).sub_questions == [QUESTION]


def test_steps_that_nobody_could_ask_in_order_are_not_issued() -> None:
    steps = (GoldStep("Who founded #2?", "Edda Thorn"), GoldStep("What yard?", "Alder Yard"))
    assert decompose(chained(steps=steps)).sub_questions == [QUESTION]


def test_the_next_query_is_the_first_step_that_was_not_searched_for() -> None:
    assert write_query(chained(), "").query == "What yard built the Morning Tern?"
    searched = "- what yard built the morning tern"
    assert write_query(chained(), searched).query == "Who founded #1?"
    told = f"{searched}\n- Alder Yard"
    assert write_query(chained(), told).query == "Who founded Alder Yard?"


def test_when_all_steps_were_searched_for_the_question_is_left() -> None:
    searched = "- What yard built the Morning Tern?\n- Who founded Alder Yard?"
    assert write_query(chained(), searched).query == QUESTION


def test_concepts_are_the_names_in_the_question() -> None:
    concepts = write_concepts(QUESTION)
    assert [span.text for span in concepts.spans] == ["Morning Tern"]
    assert not concepts.needs_topics


def test_a_question_without_names_needs_topics() -> None:
    concepts = write_concepts("which yards built steamers?")
    assert concepts.needs_topics
    assert "steamers" in concepts.topics


def test_constraints_and_keywords_say_what_the_question_says() -> None:
    assert write_constraints(QUESTION).query == QUESTION
    keywords = write_keywords(QUESTION)
    assert keywords.entities == ["Morning Tern"]
    assert keywords.themes == ["founded", "yard", "built"]


def of_kind(kind: str | None = None, **gold: object) -> Question:
    return Question("q", "?", (("x",),), 1, type=kind, **gold)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "route"),
    [
        ("bridge", "bridge"),
        ("comparison", "comparison"),
        ("compositional", "bridge"),
        ("inference", "bridge"),
        ("bridge_comparison", "comparison"),
        ("comparison_query", "comparison"),
        ("temporal_query", "comparison"),
        ("inference_query", "inference"),
        ("Single", "inference"),
        (None, "inference"),
    ],
)
def test_the_data_sets_own_types(kind: str | None, route: str) -> None:
    assert route_of(of_kind(kind)) == route


@pytest.mark.parametrize(
    "gold",
    [
        {"steps": (GoldStep("a", "b"), GoldStep("c", "d"))},
        {"hops": 2},
        {"relation_paths": (("directed by", "written by"),)},
    ],
)
def test_without_a_type_two_steps_make_a_chain(gold: dict[str, Any]) -> None:
    assert route_of(of_kind(**gold)) == "bridge"


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


def test_the_share_of_flipped_decisions_is_about_what_was_asked_for() -> None:
    flipped = sum(Noise(0.1).flips("answer", f"q{i}") for i in range(2000))
    assert 150 < flipped < 250


def test_none_and_all_are_flipped_at_the_ends() -> None:
    names = [f"q{i}" for i in range(100)]
    assert not any(Noise(0.0).flips(name) for name in names)
    assert all(Noise(1.0).flips(name) for name in names)


def test_a_decision_does_not_depend_on_those_before_it() -> None:
    names = [f"q{i}" for i in range(50)]
    noise = Noise(0.5)
    forward = {name: noise.flips(name) for name in names}
    assert {name: Noise(0.5).flips(name) for name in reversed(names)} == forward


def test_another_seed_flips_others() -> None:
    names = [f"q{i}" for i in range(50)]
    drawn = [[Noise(0.5, seed).flips(name) for name in names] for seed in (1, 2)]
    assert drawn[0] != drawn[1]


def test_a_choice_is_one_of_the_options_and_stays() -> None:
    chosen = {Noise(seed=3).choose("abc", f"q{i}") for i in range(50)}
    assert chosen == {"a", "b", "c"}
    assert Noise(seed=3).choose("abc", "q") == Noise(seed=3).choose("abc", "q")


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_of_0_to_1_is_refused(share: float) -> None:
    with pytest.raises(SettingsError, match="from 0 to 1"):
        Noise(share)
