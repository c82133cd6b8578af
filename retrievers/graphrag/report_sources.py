"""The sources of community reports: relations and passages of their findings."""

from __future__ import annotations

from collections.abc import Sequence

from hoptrail.core.types import Community, Evidence, Hit
from hoptrail.stores.protocols import GraphStore

_PASSAGES_PER_RELATION = 3
_CHANNEL = "report"


def read_reports(store: GraphStore, ids: Sequence[str]) -> list[Community]:
    """Return the reports of these communities in order, without their members; each once."""
    # Members are many, and no prompt shows them.
    found = store.communities(list(dict.fromkeys(ids)), members=False)
    return [report for report in found if report.title]


def read_sources(store: GraphStore, report_ids: Sequence[str]) -> Evidence:
    """Return reports with the relations behind their findings, their ends, and the passages.

    Of a relation without a passage in its finding the first three are taken. Items are named once,
    in the order of the reports; their provenance is the report that led to them.

    Args:
        store: Where they are read.
        report_ids: Ids of communities; those without a report are left out.
    """
    reports = read_reports(store, report_ids)
    report_of: dict[str, str] = {}
    for report in reports:
        for finding in report.findings:
            report_of.update(
                (id_, report.id) for id_ in finding.relation_ids if id_ not in report_of
            )
    relations = store.relations(list(report_of))
    by_id = {relation.id: relation for relation in relations}
    passages: dict[str, str] = {}
    for report in reports:
        for finding in report.findings:
            ids = list(finding.chunk_ids)
            for relation in (by_id[id_] for id_ in finding.relation_ids if id_ in by_id):
                if not set(relation.chunk_ids) & set(ids):
                    ids += relation.chunk_ids[:_PASSAGES_PER_RELATION]
            passages.update((id_, report.id) for id_ in ids if id_ not in passages)
    ends = dict.fromkeys(end for one in relations for end in (one.source, one.target))
    return Evidence(
        entities=tuple(Hit(entity, channel=_CHANNEL) for entity in store.entities(list(ends))),
        relations=tuple(Hit(one, 0.0, _CHANNEL, None, (report_of[one.id],)) for one in relations),
        chunks=tuple(
            Hit(chunk, 0.0, _CHANNEL, None, (passages[chunk.id],))
            for chunk in store.chunks(list(passages))
        ),
        reports=tuple(Hit(report, channel=_CHANNEL) for report in reports),
    )
