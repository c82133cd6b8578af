from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.core.settings import Tracing
from tests.recorded import Recorded
from tests.ships import QUESTION, hashing_settings


@pytest.fixture
def telling(ships: Path) -> Iterator[Hoptrail]:
    """The ships, opened so that spans may hold texts."""
    settings = hashing_settings(tracing=Tracing(capture_content=True))
    with Hoptrail.open(ships, settings=settings, preset="offline") as opened:
        yield opened


def test_retrieval_alone_tells_no_text(hoptrail: Hoptrail, recorded: Recorded) -> None:
    hoptrail.retrieve(QUESTION, retriever="bm25")
    assert "Morning Tern" not in recorded.texts()


def test_retrieval_alone_tells_its_texts_where_the_setting_allows_it(
    telling: Hoptrail, recorded: Recorded
) -> None:
    telling.retrieve(QUESTION, retriever="bm25")
    told = recorded.attributes("retrieval bm25")
    assert told["input.value"] == QUESTION
    assert "Morning Tern" in told["gen_ai.retrieval.documents"]


def test_gathering_is_one_trace_with_its_question_and_what_was_found(
    telling: Hoptrail, recorded: Recorded
) -> None:
    telling.evidence(QUESTION)
    assert recorded.parent("execute_tool hydrate_evidence") == "gather_evidence"
    told = recorded.attributes("gather_evidence")
    assert told["input.value"] == QUESTION
    assert "Morning Tern" in told["output.value"]
