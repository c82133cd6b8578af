"""Unit tests open no connection; the event loop's own socket pair is a Unix socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hoptrail.models.choice import forget_chat_model
from hoptrail.models.passage_reader import PassageReader
from tests.recorded import Recorded


@pytest.fixture(autouse=True)
def no_network(socket_disabled: None) -> None:
    pass


@pytest.fixture(autouse=True)
def no_graph_llm() -> Iterator[None]:
    """Let the name `graph_llm` mean what the settings say, whatever a test put in its place."""
    yield
    forget_chat_model("graph_llm")


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Record the spans and metrics of the test, as an application's own providers would."""
    return Recorded.beginning(monkeypatch)


@pytest.fixture(scope="session")
def reader() -> PassageReader:
    """The passage reader that comes with the package; tests that need it skip without it."""
    shipped = PassageReader.shipped()
    if shipped is None:
        pytest.skip("needs the packaged embedder")
    return shipped
