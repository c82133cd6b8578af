from __future__ import annotations

from hoptrail.agents.answering.graph_answerer import answer_from_paths
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.types import Entity, Evidence, Hit, Path, Relation

QUESTION = "when were the films of Ida Holm released"
DIRECTED = tuple(
    Relation(f"d{year}", film, "directed_by", "ida", subject=film, object="Ida Holm")
    for film, year in (("Red Fern", 1931), ("Blue Moss", 1935))
)
RELEASED = tuple(
    Relation(f"r{year}", film, "release_year", str(year), subject=film, object=str(year))
    for film, year in (("Red Fern", 1931), ("Blue Moss", 1935))
)
RELATIONS = (*DIRECTED, *RELEASED)


def found(channel: str = "relation_path", name: str = "Ida Holm") -> Evidence:
    begun = ("ida", name) if name else ("ida",)
    return Evidence(
        entities=tuple(
            Hit(Entity(year, year), 0.8, channel, 2, begun) for year in ("1935", "1931")
        ),
        relations=tuple(Hit(relation, 0.8, channel) for relation in RELATIONS),
        paths=tuple(
            Hit(Path(steps, 0.8), 0.8, channel) for steps in zip(DIRECTED, RELEASED, strict=True)
        ),
    )


def test_the_answer_is_the_whole_end_set_best_first() -> None:
    draft = answer_from_paths(QUESTION, found())
    assert (draft.strategy, draft.answers, draft.score) == ("graph_search", ("1935", "1931"), 0.8)


def test_each_relation_on_the_way_is_a_hop_that_verifies() -> None:
    evidence = found()
    verdict = verify(answer_from_paths(QUESTION, evidence), QUESTION, "bridge", evidence)
    assert [hop.relation_id for hop in verdict.trail.hops] == ["d1931", "r1931", "d1935", "r1935"]
    assert verdict.trail.supported_share == 1.0
    assert [(answer.text, answer.score) for answer in verdict.answers] == [("1935", 1), ("1931", 1)]


def test_entities_of_other_channels_are_no_answer() -> None:
    draft = answer_from_paths(QUESTION, found("entity"))
    assert draft.abstained
    assert draft.reason == "no_evidence"


def test_a_path_from_what_the_question_does_not_name_is_no_answer() -> None:
    draft = answer_from_paths("Who is the mayor of Paris?", found(name=""))
    assert (draft.abstained, draft.reason) == (True, "not_in_knowledge_base")
