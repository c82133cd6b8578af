from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hoptrail.agents.dotrag.path_judge import JudgedPath, judge
from hoptrail.core.embedding import FloatArray
from hoptrail.core.types import Path, Relation
from tests.unit.agents.role_models import QUESTION, scripted_role


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

    judged = await judge(QUESTION, "rules", PATHS, model, embed)

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

    judged = await judge(QUESTION, "rules", PATHS, model, embed)

    assert [one.verdict for one in judged] == ["irrelevant", "partial"]
    assert not model.meter.degraded


async def test_a_reply_without_a_list_is_none() -> None:
    model, _ = scripted_role("judge", {}, {})

    await judge(QUESTION, "rules", PATHS, model, embed)

    assert model.meter.degraded


async def test_unreadable_verdicts_fall_back_to_similarity() -> None:
    model, _ = scripted_role("judge", "no", "no")

    judged = await judge(QUESTION, "rules", PATHS, model, embed)

    assert len(judged) == 2
    assert model.meter.degraded


async def test_an_empty_batch_costs_no_call() -> None:
    model, script = scripted_role("judge")

    assert await judge(QUESTION, "rules", [], model, embed) == []
    assert script.calls == []
