"""The contracts notice what they are there for: each fault fails the test that is about it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from hoptrail.core.types import Evidence
from hoptrail.retrievers.base.query import Query
from hoptrail.retrievers.base.snapshot_view import View
from hoptrail.retrievers.text import BM25Retriever
from hoptrail.testing.contracts import RetrieverContract
from hoptrail.testing.contracts.sample_bases import open_sample

Fault = Callable[[Evidence], Evidence]
_seen: list[Evidence] = []


def reversed_order(evidence: Evidence) -> Evidence:
    return replace(evidence, chunks=evidence.chunks[::-1])


def no_number(evidence: Evidence) -> Evidence:
    return replace(evidence, chunks=tuple(replace(hit, score=math.nan) for hit in evidence.chunks))


def unrounded(evidence: Evidence) -> Evidence:
    hits = tuple(replace(hit, score=hit.score + 1e-7) for hit in evidence.chunks)
    return replace(evidence, chunks=hits)


def unknown_item(evidence: Evidence) -> Evidence:
    hits = tuple(replace(hit, item=replace(hit.item, id="?")) for hit in evidence.chunks)
    return replace(evidence, chunks=hits)


def misplaced(evidence: Evidence) -> Evidence:
    moved = (replace(hit, item=replace(hit.item, start=1, end=9)) for hit in evidence.chunks)
    return replace(evidence, chunks=tuple(moved))


def twice(evidence: Evidence) -> Evidence:
    return replace(evidence, chunks=evidence.chunks[:1] + evidence.chunks)


def without_channel(evidence: Evidence) -> Evidence:
    return replace(evidence, chunks=tuple(replace(hit, channel="") for hit in evidence.chunks))


def one_passage(evidence: Evidence) -> Evidence:
    return replace(evidence, chunks=evidence.chunks[:1])


def nothing(evidence: Evidence) -> Evidence:
    return Evidence()


def first_answer_for_ever(evidence: Evidence) -> Evidence:
    _seen.append(evidence)
    return _seen[0]


def one_more_each_time(evidence: Evidence) -> Evidence:
    _seen.append(evidence)
    return replace(evidence, chunks=evidence.chunks[: len(_seen)])


class Faulty(BM25Retriever):
    fault: ClassVar[Fault]

    def _search(self, query: Query, view: View) -> Evidence:
        return type(self).fault(super()._search(query, view))


class Forgetful(BM25Retriever):
    """Keeps the question where the next one overwrites it."""

    asked: ClassVar[Query]

    def _search(self, query: Query, view: View) -> Evidence:
        type(self).asked = query
        time.sleep(0.01)
        return super()._search(type(self).asked, view)


def contract_of(fault: Fault) -> RetrieverContract:
    _seen.clear()
    retriever_class = type("Faulty", (Faulty,), {"fault": staticmethod(fault)})
    contract: RetrieverContract = type(
        "Contract", (RetrieverContract,), {"retriever_class": retriever_class}
    )()
    return contract


@pytest.mark.parametrize(
    "fault", [reversed_order, no_number, unrounded, unknown_item, twice, without_channel]
)
def test_unsound_evidence_is_noticed(
    fault: Fault, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.raises(AssertionError):
        contract_of(fault).test_the_evidence_is_sound(tmp_path_factory.getbasetemp(), "passages")


@pytest.mark.parametrize(
    ("fault", "test"),
    [
        (nothing, "test_the_question_finds_passages"),
        (one_passage, "test_k_passages_are_found_whatever_the_budget"),
        (one_passage, "test_langchain_is_given_k_documents"),
        (misplaced, "test_documents_say_where_they_are_from"),
        (unrounded, "test_evidence_survives_its_json_forms"),
        (one_more_each_time, "test_the_same_question_gives_the_same_evidence"),
        (one_more_each_time, "test_langchain_may_await_it"),
    ],
)
def test_a_broken_promise_is_noticed(
    fault: Fault, test: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    contract = contract_of(fault)
    with open_sample(tmp_path_factory.getbasetemp(), "passages") as kb:
        with pytest.raises(AssertionError):
            getattr(contract, test)(kb)


def test_what_is_kept_of_a_past_generation_is_noticed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    contract = contract_of(first_answer_for_ever)
    with pytest.raises(AssertionError):
        contract.test_what_was_deleted_is_not_found_again(tmp_path_factory.getbasetemp(), tmp_path)


def test_threads_that_share_a_question_are_noticed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    contract = type("Contract", (RetrieverContract,), {"retriever_class": Forgetful})()
    with open_sample(tmp_path_factory.getbasetemp(), "passages") as kb:
        with pytest.raises(AssertionError):
            contract.test_threads_may_share_it(kb)
