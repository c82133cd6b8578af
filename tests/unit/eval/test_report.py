"""The page of a run."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from hoptrail.eval.metrics import METRICS
from hoptrail.eval.report import render_report
from hoptrail.eval.summary import summarize


class Cells(HTMLParser):
    """Collects the texts of a page's table cells, and what it would load from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self.in_cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in {"src", "href"}]
        self.in_cell = self.in_cell or tag == "td"
        if tag == "td":
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = self.in_cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.in_cell:
            self.texts[-1] += data


def make_row(number: int, recall: float, **fields: Any) -> dict[str, Any]:
    scores: dict[str, Any] = dict.fromkeys((metric.name for metric in METRICS), None)
    return {
        "id": f"q{number}",
        "question": "Is <b>1 & 2</b> bold?",
        "type": "bridge",
        "hops": 2,
        "unanswerable": False,
        "seconds": 0.5,
        "gold": {"answers": ["yes"], "documents": []},
        "scores": {**scores, "recall@5": recall},
        "failure": None,
        **fields,
    }


ROWS = [
    make_row(1, 1.0),
    make_row(2, 0.5, failure={"code": "model", "message": "the server is down"}),
]
PAGE = render_report(
    {"system": "retriever:ket", "questions": "q.jsonl", "k": 10}, summarize(ROWS), ROWS
)


def test_the_page_shows_figures_with_intervals_groups_questions_and_settings() -> None:
    texts = Cells(PAGE).texts
    place = texts.index("recall@5")
    assert texts[place : place + 3] == ["recall@5", "0.750", "0.500 to 1.000"]
    assert {"bridge", "q1", "q2", "the server is down", "10"} <= set(texts)


def test_what_was_not_measured_is_left_out_of_the_figures() -> None:
    assert "em" not in Cells(PAGE).texts


def test_texts_are_escaped_and_nothing_is_loaded_from_elsewhere() -> None:
    cells = Cells(PAGE)
    assert "Is <b>1 & 2</b> bold?" in cells.texts
    assert "<b>1" not in PAGE
    assert cells.links == []
