from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.agents.dotrag import (
    Concept,
    JudgedPath,
    Rules,
    judge_paths,
    write_concepts,
    write_constraints,
    write_next_query,
)
from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Path, Relation
from tests.unit.agents.role_models import QUESTION, scripted_role

SCHEMA = {"description": "Bridges and people.", "entity_types": {"bridge": "a crossing"}}
MAPLE = {"text": "Maple Bridge", "guess": "A bridge."}
TYPES = {"entity_types": {"Person": "", "Bridge": ""}}


async def test_the_model_names_spans_of_the_question() -> None:
    model, script = scripted_role("decomposer", {"spans": [MAPLE], "topics": ["engineering"]})

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written == (Concept("Maple Bridge", "A bridge."),)
    assert "- bridge: a crossing" in script.calls[0].text


async def test_topics_count_where_the_spans_do_not_suffice() -> None:
    reply = {"spans": [MAPLE], "topics": ["engineering", " "], "needs_topics": True}
    model, _ = scripted_role("decomposer", reply)

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written[1:] == (Concept("engineering", is_span=False),)


async def test_spans_that_the_question_does_not_hold_are_left_out() -> None:
    reply = {"spans": [{"text": "Ash Bridge"}, {"text": "maple bridge"}, MAPLE]}
    model, _ = scripted_role("decomposer", reply)

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written == (Concept("maple bridge"),)


async def test_nothing_usable_falls_back_to_the_questions_names() -> None:
    model, _ = scripted_role("decomposer", {"spans": [{"text": "Ash Bridge"}]})

    written = await write_concepts(QUESTION, SCHEMA, model)

    assert written == (Concept("Maple Bridge"),)
    assert model.meter.degraded


async def test_a_question_without_names_is_one_theme() -> None:
    written = await write_concepts("who built the bridge", {}, None)

    assert written == (Concept("built bridge", is_span=False),)


async def test_rules_keep_only_types_of_the_schema() -> None:
    reply = {"terminal": " a birthplace ", "entity_types": ["person", "planet", "Person"]}
    model, _ = scripted_role("decomposer", reply)

    rules = await write_constraints(QUESTION, "Maple Bridge", TYPES, model)

    assert rules == Rules(terminal="a birthplace", entity_types=("Person",))
    assert rules.text == "Terminal evidence: a birthplace"


async def test_unreadable_rules_keep_every_type() -> None:
    model, _ = scripted_role("decomposer", "no", "no")

    rules = await write_constraints(QUESTION, "Maple Bridge", TYPES, model)

    assert rules == Rules()
    assert model.meter.degraded


async def test_without_a_model_there_are_no_rules() -> None:
    assert await write_constraints(QUESTION, "Maple Bridge", TYPES, None) == Rules()


def path(*triples: tuple[str, str, str]) -> Path:
    return Path(tuple(Relation(f"{s}{p}{o}", s, p, o, subject=s, object=o) for s, p, o in triples))


PATHS = [
    path(("Maple Bridge", "designed by", "Ida Holm"), ("Ida Holm", "born in", "Varde")),
    path(("Maple Bridge", "designed by", "Ida Holm")),
]


def embed(texts: Sequence[str]) -> FloatArray:
    """Return the share of "born" and "designed" in each text as a unit vector."""
    counts = np.array([[t.count("born"), t.count("design"), 0.1] for t in texts], dtype=np.float32)
    vectors: FloatArray = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    return vectors


async def test_every_path_gets_the_models_verdict() -> None:
    verdicts = [
        {
            "path": 2,
            "verdict": "partial",
            "confidence": 0.7,
            "next_question": "Where was she born?",
        },
        {"path": 1, "verdict": "complete", "confidence": 0.9, "next_question": "none"},
    ]
    model, script = scripted_role("judge", {"verdicts": verdicts})

    judged = await judge_paths(QUESTION, "rules", PATHS, model, embed)

    assert judged == [
        JudgedPath("complete", 0.9),
        JudgedPath("partial", 0.7, "Where was she born?"),
    ]
    assert (
        "[1] Maple Bridge | designed by | Ida Holm -> Ida Holm | born in | Varde"
        in script.calls[0].text
    )


async def test_what_the_model_leaves_out_is_irrelevant_and_what_it_invents_is_ignored() -> None:
    verdicts = [{"path": 2, "verdict": "partial"}, {"path": 9, "verdict": "complete"}]
    model, _ = scripted_role("judge", {"verdicts": verdicts})

    judged = await judge_paths(QUESTION, "rules", PATHS, model, embed)

    assert [one.verdict for one in judged] == ["irrelevant", "partial"]
    assert not model.meter.degraded


async def test_a_reply_without_a_list_is_none() -> None:
    model, _ = scripted_role("judge", {}, {})

    await judge_paths(QUESTION, "rules", PATHS, model, embed)

    assert model.meter.degraded


async def test_unreadable_verdicts_fall_back_to_similarity() -> None:
    model, _ = scripted_role("judge", "no", "no")

    judged = await judge_paths(QUESTION, "rules", PATHS, model, embed)

    assert len(judged) == 2
    assert model.meter.degraded


async def test_an_empty_batch_costs_no_call() -> None:
    model, script = scripted_role("judge")

    assert await judge_paths(QUESTION, "rules", [], model, embed) == []
    assert script.calls == []


async def test_the_model_writes_a_new_query() -> None:
    model, _ = scripted_role("decomposer", {"query": "birthplace of Ida Holm"})

    query = await write_next_query(QUESTION, [QUESTION], model)

    assert query == "birthplace of Ida Holm"


async def test_a_repeated_query_is_replaced_by_the_questions_words() -> None:
    model, _ = scripted_role("decomposer", {"query": "where was the designer of maple bridge born"})

    query = await write_next_query(QUESTION, [QUESTION], model)

    assert query == "designer maple bridge born"
    assert model.meter.degraded


async def test_nothing_new_is_an_empty_query() -> None:
    assert await write_next_query("Maple Bridge?", ["maple bridge"], None) == ""
