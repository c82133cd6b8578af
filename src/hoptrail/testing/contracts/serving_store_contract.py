"""Tests of a store that bases are published to: what it shows, whatever befell a publisher."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hoptrail.core.errors import HoptrailError, StoreError
from hoptrail.core.progress import NoProgress
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document
from hoptrail.indexing.options import IndexOptions
from hoptrail.indexing.pipeline import Indexer
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.publication import bring_in_step
from hoptrail.stores.serving import ServingStore, StoreState
from hoptrail.testing.contracts.sample_bases import OverSampleBases, SampleBase, sample_folder
from hoptrail.testing.embedder import HashingEmbedder

OpenStore = Callable[[str], ServingStore]

_OTHER_DIM = 96
_MOST_STEPS = 60


class ServingStoreContract(OverSampleBases):
    """Tests that every store must pass: a subclass says how one is opened.

    `KnowledgeSourceContract` tests what answers questions from the store.
    """

    def open_store(self, base: str) -> ServingStore:
        """Return the store of a base of this name; to be overridden."""
        raise NotImplementedError

    def open_unreachable(self, base: str) -> ServingStore:
        """Open a store whose server is not there; to be overridden."""
        raise NotImplementedError

    def remove(self, base: str) -> None:
        """Take a base from the server, where it would stay there after the tests."""

    @pytest.fixture
    def opened(self) -> Iterator[OpenStore]:
        """Return what opens stores; they are closed after the test, and their bases removed."""
        stores: list[ServingStore] = []
        bases: set[str] = set()

        def open_(base: str) -> ServingStore:
            stores.append(self.open_store(base))
            bases.add(base)
            return stores[-1]

        yield open_
        for store in stores:
            store.close()
        for base in bases:
            self.remove(base)

    @pytest.fixture
    def base(self) -> str:
        """Return a name that no other base has."""
        return f"contract-{uuid.uuid4().hex[:12]}"

    @pytest.fixture
    def kb(self, samples: Path, tmp_path: Path) -> Iterator[KnowledgeBase]:
        """Yield a base of passages and the graph in them, open for writing."""
        with _copied(samples, tmp_path, "passages") as kb:
            yield kb

    def test_a_base_that_was_never_published_has_no_state(
        self, opened: OpenStore, base: str
    ) -> None:
        """And no source: the error says how to publish it."""
        store = opened(base)
        assert store.state() is None
        with pytest.raises(StoreError, match="hoptrail publish"):
            store.source(HashingEmbedder())

    @pytest.mark.parametrize("name", ["passages", "bare_graph", "empty"])
    def test_it_shows_what_was_published(
        self, samples: Path, tmp_path: Path, opened: OpenStore, base: str, name: SampleBase
    ) -> None:
        """The generation, and the base with its items as the server counts them."""
        with _copied(samples, tmp_path, name) as kb:
            store = opened(base)
            told = bring_in_step(kb, store)
            assert told is not None
            assert told.since is None
            assert store.state() == _in_step(kb)
            assert bring_in_step(kb, store) is None

    def test_another_process_sees_what_was_published(
        self, kb: KnowledgeBase, opened: OpenStore, base: str
    ) -> None:
        """A second store of the same base, opened after and before."""
        before = opened(base)
        bring_in_step(kb, opened(base))
        assert before.state() == opened(base).state() == _in_step(kb)

    def test_a_change_is_told_by_what_differs(
        self, kb: KnowledgeBase, opened: OpenStore, base: str
    ) -> None:
        """A document that comes, one with another text, one that goes."""
        store = opened(base)
        bring_in_step(kb, store)
        whole = sum(kb.base_description().counts.values())
        for change in (_add_document, _replace_document, _delete_document):
            change(kb)
            told = bring_in_step(kb, store)
            assert told is not None
            assert told.since is not None, "all was written for one document"
            assert not told.repaired
            assert 0 < sum(told.put.values()) + sum(told.gone.values()) < whole
            assert store.state() == _in_step(kb)

    def test_a_change_greater_than_it_takes_is_written_as_a_whole(
        self, kb: KnowledgeBase, opened: OpenStore, base: str
    ) -> None:
        """`largest_change` says how much it takes."""
        store = opened(base)
        bring_in_step(kb, store)
        _add_document(kb)
        store.largest_change = 0
        told = bring_in_step(kb, store)
        assert told is not None
        assert told.since is None
        assert store.state() == _in_step(kb)

    def test_vectors_of_another_width_are_taken(
        self, kb: KnowledgeBase, opened: OpenStore, base: str
    ) -> None:
        """All is written then; the embedder before is refused from now on."""
        store = opened(base)
        bring_in_step(kb, store)
        other = HashingEmbedder(_OTHER_DIM)
        Indexer(kb, settings=Settings()).reembed(other)
        told = bring_in_step(kb, store)
        assert told is not None
        assert told.repaired
        assert store.state() == _in_step(kb)
        with pytest.raises(HoptrailError, match=other.name):
            store.source(HashingEmbedder())

    @pytest.mark.parametrize("whole", [False, True])
    def test_a_publisher_that_stops_at_any_step_leaves_one_generation_shown(
        self, kb: KnowledgeBase, opened: OpenStore, base: str, whole: bool
    ) -> None:
        """The one before or the new one, never a part; the next publication completes it."""
        store = opened(base)
        bring_in_step(kb, store)
        before = store.state()
        assert before is not None
        _add_document(kb)
        change = kb.change(None if whole else before.generation)
        for step in range(_MOST_STEPS):
            try:
                store.publish(change, _StopsAt(step))
            except _StoppedError:
                assert store.state() in (before, _in_step(kb)), f"half is shown at step {step}"
            else:
                break
        else:
            pytest.fail("it never came to an end")
        assert step, "it tells nobody how far it is"
        bring_in_step(kb, store)
        assert store.state() == _in_step(kb)

    def test_a_publisher_that_was_stopped_is_succeeded(
        self, kb: KnowledgeBase, opened: OpenStore, base: str
    ) -> None:
        """By another, which was told of nothing that the first had written."""
        with pytest.raises(_StoppedError):
            bring_in_step(kb, opened(base), _StopsAt(2))
        other = opened(base)
        bring_in_step(kb, other)
        assert other.state() == _in_step(kb)

    def test_a_second_writer_is_refused(
        self, kb: KnowledgeBase, opened: OpenStore, base: str
    ) -> None:
        """While the first is at work, which then ends undisturbed."""
        store, second = opened(base), opened(base)
        refused = _Meanwhile(lambda: second.publish(kb.change(None), NoProgress()))
        store.publish(kb.change(None), refused)
        assert isinstance(refused.error, HoptrailError)
        assert "\n" not in str(refused.error)
        assert store.state() == _in_step(kb)

    def test_another_base_of_the_same_name_is_refused(
        self, kb: KnowledgeBase, samples: Path, tmp_path: Path, opened: OpenStore, base: str
    ) -> None:
        """And what is there stays."""
        store = opened(base)
        bring_in_step(kb, store)
        with (
            _copied(samples, tmp_path, "bare_graph") as other,
            pytest.raises(StoreError, match="another base"),
        ):
            bring_in_step(other, store)
        assert store.state() == _in_step(kb)

    def test_bases_do_not_see_each_other(
        self, kb: KnowledgeBase, samples: Path, tmp_path: Path, opened: OpenStore, base: str
    ) -> None:
        """One that is published, changed and emptied beside another leaves that as it is."""
        store = opened(base)
        bring_in_step(kb, store)
        with _copied(samples, tmp_path, "bare_graph") as other:
            beside = opened(f"{base}-2")
            bring_in_step(other, beside)
            _add_document(other)
            bring_in_step(other, beside)
            beside.drop_before(other.newest_generation)
            assert beside.state() == _in_step(other)
        assert store.state() == _in_step(kb)

    def test_dropping_what_is_past_leaves_the_present(
        self, kb: KnowledgeBase, opened: OpenStore, base: str
    ) -> None:
        """Whether it was replaced by a change or as a whole."""
        store = opened(base)
        bring_in_step(kb, store)
        _replace_document(kb)
        bring_in_step(kb, store)
        store.publish(kb.change(None), NoProgress())
        store.drop_before(kb.newest_generation)
        assert store.state() == _in_step(kb)
        assert bring_in_step(kb, store) is None

    def test_a_closed_store_says_so(self, opened: OpenStore, base: str) -> None:
        """In one line; closing it twice does nothing."""
        store = opened(base)
        store.close()
        store.close()
        with pytest.raises(HoptrailError) as error:
            store.state()
        _require_one_line(error.value)

    def test_a_server_that_is_not_there_is_told_in_one_line(self, base: str) -> None:
        """At once or when it is first asked, with what to do next."""
        with pytest.raises(StoreError) as error:
            self.open_unreachable(base).state()
        _require_one_line(error.value)


class _StoppedError(BaseException):
    """Stands for a signal that ends the publisher."""


class _StopsAt(NoProgress):
    """Ends the publisher at this step of what it tells."""

    def __init__(self, step: int) -> None:
        self._left = step

    def start(self, stage: str, total: int | None) -> None:
        self._step()

    def advance(self, stage: str, steps: int = 1) -> None:
        self._step()

    def finish(self, stage: str) -> None:
        self._step()

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _StoppedError


class _Meanwhile(NoProgress):
    """Does something once, when the publisher has begun, and keeps the error that it raised."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work: Callable[[], object] | None = work
        self.error: Exception | None = None

    def advance(self, stage: str, steps: int = 1) -> None:
        work, self._work = self._work, None
        if work is not None:
            try:
                work()
            except HoptrailError as error:
                self.error = error


def _copied(samples: Path, place: Path, name: SampleBase) -> KnowledgeBase:
    folder = shutil.copytree(sample_folder(samples, name), place / name)
    return KnowledgeBase.open(folder, embedder=HashingEmbedder(), writable=True)


def _in_step(kb: KnowledgeBase) -> StoreState:
    return StoreState(kb.newest_generation, kb.base_description())


def _add_document(kb: KnowledgeBase) -> None:
    _index(kb, "t/Ulm", "The Ulm is a river that rises near Brackenholm.")


def _replace_document(kb: KnowledgeBase) -> None:
    _index(kb, "t/Ulm", "The Ulm is a river that Edda Thorn dammed.")


def _delete_document(kb: KnowledgeBase) -> None:
    Indexer(kb, settings=Settings()).delete(["t/Ulm"])


def _index(kb: KnowledgeBase, doc_id: str, text: str) -> None:
    document = Document(doc_id, doc_id.partition("/")[2], text, "t")
    Indexer(kb, settings=Settings()).index([document], IndexOptions(extractor="nlp"))


def _require_one_line(error: HoptrailError) -> None:
    assert "\n" not in str(error)
    assert error.hint, "it does not say what to do"
