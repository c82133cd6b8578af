"""Communities of the graph, their reports, and the descriptions of what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from hoptrail.core.types import (
    Community,
    NodeUsage,
)
from hoptrail.stores.base.open_records import OpenRecords
from hoptrail.stores.records import community_table, graph_table, meta_table
from hoptrail.stores.records.community_table import ClusteringRecord, CommunityLevel
from hoptrail.stores.snapshot.community_index import (
    CommunityIndex,
    build_community_arrays,
    load_community_index,
)


class CommunityRecords(OpenRecords):
    """The methods of `KnowledgeBase` for communities and their reports."""

    def communities(self, level: int | None = None) -> list[Community]:
        """Return the communities of one level or all, with their reports, by level and id.

        They come without `entity_ids`; `store.communities` returns these too.
        """
        with self._database.read() as connection:
            return community_table.list_communities(connection, level)

    def community_levels(self) -> list[CommunityLevel]:
        """Return how many communities each level has, the coarsest first."""
        with self._database.read() as connection:
            return community_table.community_levels(connection)

    def community_keys(self) -> dict[str, str]:
        """Return the content hash of each community, which its report is stored under, by id."""
        with self._database.read() as connection:
            return community_table.community_keys(connection)

    def hierarchy(self) -> dict[str, tuple[str, ...]]:
        """Return the ids of the children by the parent's id, those of level 0 under ""."""
        with self._database.read() as connection:
            return community_table.hierarchy(connection)

    def unpublished_community_index(self) -> CommunityIndex:
        """Return the hierarchy as it is now, as arrays; entities are rows of `index`."""
        entity_ids = self.index.entity_ids
        with self._database.read() as connection:
            arrays = build_community_arrays(connection, entity_ids)
        return load_community_index({"entity_ids": entity_ids, **arrays})

    @property
    def communities_stale(self) -> bool:
        """Whether the graph changed since the communities were made."""
        with self._database.read() as connection:
            return community_table.is_stale(connection)

    def replace_communities(
        self,
        communities: Sequence[Community],
        keys: Mapping[str, str],
        *,
        record: ClusteringRecord | None = None,
    ) -> bool:
        """Make these the hierarchy, none of them stale; return whether that changed anything.

        Reports stay, also those whose key no community bears any more.

        Args:
            communities: Their reports are not read. `entity_ids` of one with children may be left
                out (with `size` set), or list all members.
            keys: Content hash of each by id: of members, relations and the children's keys.
            record: What the next clustering is to go on from; without it, a hierarchy that is new
                has none.
        """
        with self._database.write() as connection:
            changed = community_table.replace_communities(connection, communities, keys)
            if changed:
                community_table.drop_clustering(connection)
                meta_table.mark_changed(connection)
            if record is not None:
                community_table.put_clustering(connection, record)
            return changed

    def clustering(self) -> ClusteringRecord | None:
        """Return what the next clustering goes on from, None where there is nothing."""
        with self._database.read() as connection:
            return community_table.read_clustering(connection)

    def adopt_communities(self, keys: Mapping[str, str], record: ClusteringRecord) -> None:
        """Let the next clustering go on from a hierarchy that was made elsewhere.

        Args:
            keys: Content hash of each community by id, in place of those it was given with.
            record: The hierarchy as a tree of clusters.
        """
        with self._database.write() as connection:
            community_table.rename_keys(connection, keys)
            community_table.put_clustering(connection, record)

    def descriptions(self, table: Literal["entities", "relations"]) -> Iterator[tuple[str, str]]:
        """Yield id and description of the entities or relations that have one, by id."""
        with self._database.read() as connection:
            yield from graph_table.iter_descriptions(connection, table)

    def mark_communities(
        self, changed: Iterable[str], *, stale: bool, further: bool = False
    ) -> None:
        """Note which communities the present graph changes, and whether any work is to be done.

        A new entity may make the hierarchy stale and no community of it. With `further`, those that
        were noted before stay so.
        """
        with self._database.write() as connection:
            community_table.put_stale(connection, changed, stale=stale, further=further)

    def put_report(self, key: str, report: Community, *, maker: str, usage: NodeUsage) -> None:
        """Store a report under its community's content hash, at once, in place of an earlier one.

        Args:
            key: From `community_keys`.
            report: Title, summary, rating and findings are kept.
            maker: What made it; `report_keys` tells the reports of one maker.
            usage: What it took.
        """
        with self._database.write() as connection:
            community_table.put_report(connection, key, report, maker, usage)
            meta_table.mark_changed(connection)

    def report_keys(self, maker: str | None = None) -> set[str]:
        """Return the content hashes that have a report, of one maker or any."""
        with self._database.read() as connection:
            return community_table.report_keys(connection, maker)

    def prune_reports(self, maker: str | None = None) -> int:
        """Delete the reports that no present community has, and return their number.

        Args:
            maker: Whose reports are deleted whatever community has them.
        """
        with self._database.write() as connection:
            return community_table.prune_reports(connection, maker)
