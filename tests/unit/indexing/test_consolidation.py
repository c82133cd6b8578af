from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage

from hoptrail.core.errors import (
    CostLimitError,
    ModelNotConfiguredError,
    ModelUnavailableError,
    SettingsError,
)
from hoptrail.core.settings import Price, Settings
from hoptrail.core.types import Document, Entity, ExtractedEntity, Extraction, NodeUsage
from hoptrail.indexing.consolidation import group_look_alikes
from hoptrail.indexing.options import ConsolidationOptions, IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.chat import ChatModels, register_chat_model
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import ScriptedChatModel

MODEL = "scripted-consolidator"
Reply = dict[str, Any] | str | Callable[[list[BaseMessage]], dict[str, Any]]


def numbers_of(messages: list[BaseMessage], *names: str) -> list[int]:
    lines = re.findall(r"^(\d+)\. (.*)$", str(messages[-1].content), re.MULTILINE)
    return [int(number) for number, text in lines if text.startswith(names)]


def harbours_are_one(messages: list[BaseMessage]) -> dict[str, Any]:
    return {"same": [numbers_of(messages, "Port of Averil", "Averil Harbour")]}


@pytest.fixture
def consolidate(kb: KnowledgeBase) -> Iterator[Callable[..., Any]]:
    entities = (
        ExtractedEntity("Port of Averil", "harbour", "The harbour of Averil."),
        ExtractedEntity("Averil Harbour", "harbour", "The harbour of Averil."),
        ExtractedEntity("Averil Museum", "museum", "The museum of Averil."),
        ExtractedEntity("Averil 1976", "year", "The harbour of Averil."),
    )
    document = Document("d/1", "Averil", "Averil has a harbour.")
    Indexer(kb).index([document], IndexOptions(extractor="none"))
    chunk = next(kb.iter_chunks())
    kb.put_extraction("d/1", chunk.id, "nlp", Extraction(entities), NodeUsage())
    Indexer(kb).index([document], IndexOptions(extractor="none"))

    def run(reply: Reply, **options: Any) -> tuple[Any, ScriptedChatModel]:
        model = ScriptedChatModel(by_role={"extractor": reply})
        register_chat_model(MODEL, model)
        settings = Settings(prices={MODEL: Price(prompt=1, completion=1)}, max_retries=0)
        indexer = Indexer(kb, settings=settings, models=ChatModels(settings, {"default": MODEL}))
        return indexer.consolidate(ConsolidationOptions(**{"similarity": 0.3, **options})), model

    yield run


def names(kb: KnowledgeBase) -> set[str]:
    entities = kb.store.entities([str(id_) for id_ in kb.index.entity_ids])
    return {entity.name for entity in entities}


def types(kb: KnowledgeBase) -> dict[str, str]:
    entities = kb.store.entities([str(id_) for id_ in kb.index.entity_ids])
    return {entity.name: entity.type for entity in entities}


def test_what_the_model_confirms_becomes_one_entity(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    report, _ = consolidate(harbours_are_one)
    assert report.merged == 1
    assert [merge.reason for merge in kb.merges()] == ["model"]
    assert len(names(kb) & {"Port of Averil", "Averil Harbour"}) == 1


def test_the_other_name_stays_as_an_alias(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    consolidate(harbours_are_one)
    entities = kb.store.entities([str(id_) for id_ in kb.index.entity_ids])
    merged = next(entity for entity in entities if "Averil" in entity.name and entity.aliases)
    assert {merged.name, *merged.aliases} == {"Port of Averil", "Averil Harbour"}


def test_dates_are_not_asked_about(consolidate: Callable[..., Any]) -> None:
    _, model = consolidate(harbours_are_one)
    assert "1976" not in model.calls[0].text


def test_nothing_is_asked_twice(consolidate: Callable[..., Any]) -> None:
    consolidate(harbours_are_one)
    report, again = consolidate({"same": []})
    assert (again.calls, report.usage.llm_calls) == ([], 0)


def test_a_later_run_asks_about_new_entities_only(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    many = tuple(ExtractedEntity(f"Quay {n} of Averil", "quay", "A quay.") for n in range(12))
    (chunk,) = kb.iter_chunks()
    kb.put_extraction("d/1", chunk.id, "names", Extraction(many), NodeUsage())
    Indexer(kb).index(options=IndexOptions(extractor="none"))
    _, first = consolidate({"same": []}, similarity=0.1)
    _, second = consolidate({"same": []}, similarity=0.1)
    assert first.calls[0].text.count("Quay") == 12
    assert second.calls == []
    new = Extraction((ExtractedEntity("Quay 12 of Averil", "quay", "A quay."),))
    kb.put_extraction("d/1", chunk.id, "other", new, NodeUsage())
    Indexer(kb).index(options=IndexOptions(extractor="none"))
    _, third = consolidate({"same": []}, similarity=0.1)
    assert third.calls[0].text.count("Group") == 1
    assert "Quay 12 of Averil" in third.calls[0].text


def test_what_a_killed_run_decided_holds_after_the_next_one(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    def killed(messages: list[BaseMessage]) -> dict[str, Any]:
        if "Group 1" in str(messages[-1].content):
            raise KeyboardInterrupt
        return {"labels": [{"number": n, "type": "Place"} for n in numbers_of(messages, "")]}

    with pytest.raises(KeyboardInterrupt):
        consolidate(killed, entity_types=("Place",))
    report, _ = consolidate({"same": []})
    assert (report.labelled, report.merged) == (0, 0)
    assert types(kb)["Averil Harbour"] == "Place"


def test_the_spelling_of_the_schema_holds_without_a_question(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    report, model = consolidate(
        {"same": []}, entity_types=(" HARBOUR", "Museum", "harbour", "Year")
    )
    assert list(kb.schema()) == ["HARBOUR", "Museum", "Year"]
    assert types(kb)["Averil Harbour"] == "HARBOUR"
    assert (report.labelled, len(model.calls)) == (0, 1)


@pytest.mark.parametrize(
    "wrong", [{"similarity": 0.0}, {"concurrency": 0}, {"max_usd": -1.0}, {"entity_types": (" ",)}]
)
def test_options_that_cannot_be_used_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        ConsolidationOptions(**wrong)


def test_numbers_that_do_not_exist_merge_nothing(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    report, _ = consolidate({"same": [[1, 77], [0], [-3, 99]]})
    assert (report.merged, kb.merges()) == (0, [])


def test_an_unreadable_reply_is_asked_again_by_the_next_run(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    failed, _ = consolidate("cannot say")
    mended, _ = consolidate(harbours_are_one)
    assert (failed.failed, failed.merged, mended.merged) == (1, 0, 1)


def test_an_undone_merge_is_neither_asked_nor_made_again(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    consolidate(harbours_are_one)
    kb.undo_merge(kb.merges()[0].id)
    Indexer(kb).index([Document("d/2", "More", "More text.")], IndexOptions(extractor="none"))
    consolidate(harbours_are_one)
    assert names(kb) >= {"Port of Averil", "Averil Harbour"}


def test_types_are_brought_into_the_edited_schema(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    kb.put_schema({"Place": "Where something is", "Institution": ""})

    def label(messages: list[BaseMessage]) -> dict[str, Any]:
        if "Group 1" in str(messages[-1].content):
            return {"same": []}
        kinds = {"harbour": "Place", "museum": "institution", "year": "Nonsense"}
        return {
            "labels": [
                {"number": numbers_of(messages, name)[0], "type": kind}
                for name, kind in kinds.items()
                if numbers_of(messages, name)
            ]
        }

    report, model = consolidate(label)
    assert types(kb)["Averil Harbour"] == "Place"
    assert types(kb)["Averil Museum"] == "Institution"
    assert (report.labelled, report.unlabelled) == (2, 1)
    asked_again = [call for call in model.calls if "1. year" in call.text]
    assert len(asked_again) == 1


def test_the_forecast_foresees_the_calls(
    kb: KnowledgeBase, consolidate: Callable[..., Any]
) -> None:
    register_chat_model(MODEL, ScriptedChatModel(by_role={"extractor": harbours_are_one}))
    settings = Settings(prices={MODEL: Price(prompt=1, completion=1)})
    indexer = Indexer(kb, settings=settings, models=ChatModels(settings, {"default": MODEL}))
    forecast = indexer.forecast_consolidation(ConsolidationOptions(similarity=0.3))
    report, _ = consolidate(harbours_are_one)
    assert forecast.calls == report.usage.llm_calls == 1
    assert forecast.usd is not None and forecast.usd > 0


def test_the_cost_limit_is_kept(consolidate: Callable[..., Any]) -> None:
    with pytest.raises(CostLimitError):
        consolidate(harbours_are_one, max_usd=1e-9)


def test_without_a_model_nothing_can_be_confirmed(kb: KnowledgeBase) -> None:
    with pytest.raises(ModelNotConfiguredError):
        Indexer(kb, settings=Settings()).consolidate()


def test_a_model_that_was_gone_is_asked_again(consolidate: Callable[..., Any]) -> None:
    def unavailable(messages: list[BaseMessage]) -> dict[str, Any]:
        raise ModelUnavailableError("gone")

    failed, _ = consolidate(unavailable)
    mended, _ = consolidate(harbours_are_one)
    assert (failed.failed, mended.merged) == (1, 1)


def entity(name: str, type_: str = "", passages: int = 1) -> Entity:
    chunks = tuple(f"{name}{place}" for place in range(passages))
    return Entity(name, name, type_, chunk_ids=chunks)


def ids(groups: list[list[Entity]]) -> list[list[str]]:
    return [[one.id for one in group] for group in groups]


ALIKE = np.array([[1, 0], [0.8, 0.6], [0.9, 0.435]], dtype=np.float32)


def any_pair(one: Entity, other: Entity) -> bool:
    return True


def test_the_best_attested_entity_leads_and_the_nearest_comes_first() -> None:
    entities = [entity("a", passages=3), entity("b"), entity("c")]
    found = group_look_alikes(entities, ALIKE, any_pair, 0.6)
    assert ids(found) == [["a", "c", "b"]]


def test_types_of_different_families_stay_apart() -> None:
    entities = [entity("a", "person", 3), entity("b", "city"), entity("c", "actor")]
    found = group_look_alikes(entities, ALIKE, any_pair, 0.6)
    assert ids(found) == [["a", "c"]]


def test_a_pair_that_was_decided_is_left_out() -> None:
    found = group_look_alikes(
        [entity("a", passages=3), entity("b"), entity("c")],
        ALIKE,
        lambda one, other: {one.id, other.id} != {"a", "c"},
        0.6,
    )
    assert ids(found) == [["a", "b"]]


def test_entities_without_a_vector_are_like_nothing() -> None:
    vectors = np.zeros((2, 4), dtype=np.float32)
    assert group_look_alikes([entity("a"), entity("b")], vectors, any_pair, 0.6) == []


@given(st.integers(0, 30), st.integers(0, 1000), st.floats(0.2, 0.95))
def test_groups_are_disjoint_and_near_their_leader(size: int, seed: int, least: float) -> None:
    vectors = np.random.default_rng(seed).standard_normal((size, 3)).astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    entities = [entity(str(place)) for place in range(size)]
    found = group_look_alikes(entities, vectors, any_pair, least)
    members = [int(one.id) for group in found for one in group]
    assert len(members) == len(set(members))
    for leader, *others in ([int(one.id) for one in group] for group in found):
        assert np.all(vectors[others] @ vectors[leader] >= least - 1e-4)
