from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.core.progress import NoProgress
from hoptrail.core.types import Community, Document, NodeUsage
from hoptrail.indexing.communities.building import note_changes
from hoptrail.indexing.communities.clustering import cluster
from hoptrail.indexing.options import CommunityOptions, IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.models.chat import register_chat_model
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.testing import ScriptedChatModel
from tests import regions
from tests.unit.indexing.communities.graphs import groups, publish_graph


@pytest.fixture
def graph(kb: KnowledgeBase) -> KnowledgeBase:
    kb.replace_graph(*regions.graph(), [])
    kb.publish()
    return kb


@pytest.fixture
def model() -> ScriptedChatModel:
    scripted = ScriptedChatModel(by_role={"reporter": regions.answer})
    register_chat_model(regions.MODEL, scripted)
    return scripted


def test_reports_are_found_by_their_vectors(graph: KnowledgeBase) -> None:
    report = regions.builder(graph, model=False).build()
    made = sum(level.made for level in report.levels)
    assert made == len(graph.communities()) == len(graph.community_index.ids) > 1
    (best, *_), _ = graph.vectors("report").search(graph.embed_query("Cid Pier Mill Inn"), 1)
    (found,) = graph.store.communities([str(best)])
    assert "Cid" in found.title


def test_what_another_town_adds_is_reported_and_the_rest_reused(
    graph: KnowledgeBase, model: ScriptedChatModel
) -> None:
    regions.builder(graph).build()
    called = len(model.calls)
    graph.replace_graph(*regions.graph((*regions.TOWNS, "Eda")), [])
    graph.publish()
    changed = regions.builder(graph).build()
    assert 0 < len(model.calls) - called == sum(one.made for one in changed.levels)
    assert sum(one.reused for one in changed.levels) > 0
    graph.replace_graph(*regions.graph(), [])
    graph.publish()
    called = len(model.calls)
    regions.builder(graph).build()
    assert len(model.calls) == called


class InterruptedAtPublishing(NoProgress):
    def start(self, stage: str, total: int | None) -> None:
        if stage == "publish":
            raise KeyboardInterrupt


def test_what_an_interrupted_index_stored_is_published_first(kb: KnowledgeBase) -> None:
    founding = "Edda Thornvale founded the Harbour Guild. The Harbour Guild stands in Port Selwick."
    keeping = "Ines Marlow keeps the Tide Archive. The Tide Archive stands in Port Selwick."
    first = Document("s/edda", "Edda Thornvale", founding, "s")
    second = Document("s/ines", "Ines Marlow", keeping, "s")
    options = IndexOptions(extractor="nlp")
    Indexer(kb).index([first], options)
    with pytest.raises(KeyboardInterrupt):
        Indexer(kb, progress=InterruptedAtPublishing()).index([second], options)

    forecast = regions.builder(kb, model=False).forecast()
    (level,) = regions.builder(kb, model=False).build().levels

    names = {entity.name for entity in kb.store.entities(kb.index.entity_ids.tolist())}
    assert {"Edda Thornvale", "Ines Marlow"} <= names
    assert forecast.communities == level.reported == len(kb.communities())


def test_a_forecast_tells_the_calls_and_about_their_tokens(
    graph: KnowledgeBase, model: ScriptedChatModel
) -> None:
    forecast = regions.builder(graph).forecast()
    assert (model.calls, graph.communities(), graph.report_keys()) == ([], [], set())
    spent = regions.builder(graph).build().usage
    assert forecast.calls == spent.llm_calls > 1
    assert forecast.prompt_tokens == pytest.approx(spent.prompt_tokens, rel=0.2)
    assert forecast.usd is not None and forecast.usd > 0
    assert regions.builder(graph).forecast().calls == 0


def test_a_forecast_without_model_costs_nothing(graph: KnowledgeBase) -> None:
    forecast = regions.builder(graph, model=False).forecast()
    assert (forecast.calls, forecast.usd) == (0, 0.0)
    assert forecast.communities > 1


def test_a_forecast_without_a_price_says_so(graph: KnowledgeBase, model: ScriptedChatModel) -> None:
    assert regions.builder(graph, priced=False).forecast().usd is None


def test_a_limit_needs_a_price(graph: KnowledgeBase, model: ScriptedChatModel) -> None:
    with pytest.raises(SettingsError, match="price"):
        regions.builder(graph, priced=False).build(CommunityOptions(max_usd=1))


def test_extractive_reports_may_be_asked_for(
    graph: KnowledgeBase, model: ScriptedChatModel
) -> None:
    report = regions.builder(graph).build(CommunityOptions(extractive=True))
    assert model.calls == []
    assert all(level.reported == level.communities for level in report.levels)


def test_a_rebuild_forgets_reports_that_no_community_has(graph: KnowledgeBase) -> None:
    builder = regions.builder(graph, model=False)
    builder.build()
    graph.replace_graph(*regions.graph(regions.TOWNS[:3]), [])
    graph.publish()
    builder.build()
    assert len(graph.report_keys()) > len(graph.communities())
    builder.build(CommunityOptions(rebuild=True))
    assert len(graph.report_keys()) == len(graph.communities())


def test_a_base_without_a_graph_has_no_communities(kb: KnowledgeBase) -> None:
    kb.publish()
    report = regions.builder(kb, model=False).build()
    assert (report.levels, report.resumable) == ((), False)


@pytest.mark.parametrize("wrong", [{"concurrency": 0}, {"max_usd": -1.0}, {"material_tokens": 10}])
def test_options_that_cannot_be_used_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(SettingsError):
        CommunityOptions(**wrong)  # type: ignore[arg-type]


def test_a_rebuild_writes_reports_that_cost_nothing_anew(graph: KnowledgeBase) -> None:
    builder = regions.builder(graph, model=False)
    builder.build()
    report = builder.build(CommunityOptions(rebuild=True))
    assert all(level.made == level.communities for level in report.levels)


GRAPH = groups(12)


@pytest.fixture
def clustered(kb: KnowledgeBase) -> KnowledgeBase:
    publish_graph(kb, GRAPH)
    cluster(kb)
    kb.publish()
    return kb


def stale(kb: KnowledgeBase) -> int:
    return sum(level.stale for level in kb.community_levels())


def test_a_gone_entity_makes_its_communities_stale(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, [pair for pair in GRAPH if "c3" not in pair])
    assert clustered.communities_stale
    with_it = [c for c in clustered.store.communities(list(clustered.community_keys()))]
    assert stale(clustered) == sum("c3" in community.entity_ids for community in with_it)


def test_a_graph_that_is_as_it_was_is_not_stale(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, GRAPH[1:])
    assert clustered.info()["communities"]["stale"]
    publish_graph(clustered, GRAPH)
    assert not clustered.info()["communities"]["stale"]
    assert stale(clustered) == 0


def test_a_new_entity_makes_the_communities_stale_that_it_may_join(
    clustered: KnowledgeBase,
) -> None:
    publish_graph(clustered, [*GRAPH, ("b9", "b0")])
    assert stale(clustered) == len(clustered.community_levels())


def test_new_entities_apart_make_the_hierarchy_stale(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, [*GRAPH, ("x", "y"), ("y", "z"), ("x", "z")])
    assert clustered.communities_stale
    assert stale(clustered) == 0


def test_nothing_is_stale_once_it_is_clustered(clustered: KnowledgeBase) -> None:
    publish_graph(clustered, GRAPH[1:])
    cluster(clustered)
    assert not clustered.communities_stale
    assert stale(clustered) == 0


@pytest.fixture
def imported(kb: KnowledgeBase) -> KnowledgeBase:
    """A base whose hierarchy came from elsewhere, with a report on each community."""
    publish_graph(kb, GRAPH)
    names = sorted({name for pair in GRAPH for name in pair})
    communities = [
        Community("all", 0, size=len(names), entity_ids=tuple(names)),
        Community("pair", 1, parent="all", size=2, entity_ids=("a0", "a1")),
        Community("more", 1, parent="all", size=20, entity_ids=tuple(names[2:22])),
    ]
    keys = {community.id: f"given {community.id}" for community in communities}
    kb.replace_communities(communities, keys)
    for community in communities:
        report = Community("", 0, f"About {community.id}")
        kb.put_report(keys[community.id], report, maker="import", usage=NodeUsage())
    kb.publish()
    note_changes(kb)
    return kb


def test_an_imported_hierarchy_stays_with_its_reports(imported: KnowledgeBase) -> None:
    assert cluster(imported).changed == 0
    titles = {community.id: community.title for community in imported.communities()}
    assert titles == {"all": "About all", "more": "About more", "pair": "About pair"}


def test_later_changes_are_clustered_from_an_imported_hierarchy(imported: KnowledgeBase) -> None:
    publish_graph(imported, [*GRAPH, ("a0", "new"), ("a1", "new")])
    assert imported.communities_stale
    found = cluster(imported)
    assert not found.is_new
    by_title = {community.title: community for community in imported.communities()}
    assert by_title["About more"].size == 20
    (pair,) = [
        c for c in imported.store.communities(list(imported.community_keys())) if c.size == 3
    ]
    assert pair.entity_ids == ("a0", "a1", "new")
