import io
from typing import Any

from rich.console import Console

from hoptrail.cli.index_view import forecast_table, show_report
from hoptrail.core.types import NodeUsage

REPORT: dict[str, Any] = {
    "documents": {"added": 3, "replaced": 0, "unchanged": 1, "failed": 0},
    "chunks": 12,
    "entities": 30,
    "relations": 41,
    "read": {"by_model": 0, "by_rules": 12},
    "skipped": [{"path": "b.bin", "reason": "not text"}],
    "failed": [{"chunk_id": "abc", "reason": "no JSON", "doc_id": "notes/a.md", "place": "page 3"}],
    "usage": NodeUsage(9, 900, 100, usd=0.01).to_json(),
    "seconds": {"load": 0.1, "extract": 4.0, "embed": 1.0, "store": 0.2},
    "resumable": False,
    "notes": [],
    "imported": [],
    "gone": [],
    "duplicates": [],
}
IMPORTED = {
    "path": "output",
    "entities": 20,
    "untyped_entities": 3,
    "relations": 30,
    "incomplete_relations": 5,
    "communities": 4,
    "reports": 4,
}


def text_of(*renderables: Any) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=120)
    for renderable in renderables:
        console.print(renderable)
    return stream.getvalue()


def report_text(report: dict[str, Any]) -> str:
    stream = io.StringIO()
    show_report(report, Console(file=stream, width=120))
    return stream.getvalue()


def test_a_report_counts_and_names_what_was_left_out() -> None:
    text = report_text(REPORT)
    assert "3 added, 1 unchanged" in text
    assert "b.bin: not text" in text
    assert "1 of 12 passages not read by the model: no JSON\n  in notes/a.md (page 3)\n" in text
    assert "--retry-failed" in text


def test_what_a_model_read_is_told_beside_what_rules_read() -> None:
    read = {"by_model": 13, "by_rules": 4}
    assert "13 passages read by the model, 4 by rules" in report_text({**REPORT, "read": read})
    assert "by rules" not in report_text(REPORT)


def test_files_that_are_skipped_for_one_reason_share_a_line() -> None:
    skipped = [{"path": f"{n}.bin", "reason": "not text"} for n in range(25)]
    text = report_text({**REPORT, "skipped": [*skipped, {"path": "a.pdf", "reason": "broken"}]})
    assert "skipped: 26" in text
    assert "0.bin, 1.bin, 2.bin, and 22 more (--json lists all): not text" in text
    assert "a.pdf: broken" in text


def test_a_long_list_of_reasons_is_cut() -> None:
    skipped = [{"path": f"{n}.bin", "reason": f"broken at {n}"} for n in range(25)]
    assert "and 5 more" in report_text({**REPORT, "skipped": skipped})


def test_what_an_imported_index_lacks_is_counted() -> None:
    text = report_text({**REPORT, "imported": [IMPORTED]})
    assert "20 entities, 30 relations, 4 communities, 4 reports" in text
    assert "3 entities without type that only 5 relations name" in text


def test_a_forecast_without_a_known_price_says_so() -> None:
    forecast = {
        "chunks": 10,
        "calls": 8,
        "prompt_tokens": 9000,
        "completion_tokens": 2000,
        "usd": None,
        "minutes": 0.5,
    }
    assert "price unknown" in text_of(forecast_table(forecast))
    assert "1.25" in text_of(forecast_table({**forecast, "usd": 1.25}))


def test_documents_whose_files_are_gone_are_named() -> None:
    text = report_text({**REPORT, "gone": ["notes/a.md", "notes/b.md"]})
    assert "2 documents of files that are gone" in text
    assert "  notes/a.md\n  notes/b.md\n" in text


def test_documents_of_the_same_text_are_told_as_duplicates() -> None:
    text = report_text({**REPORT, "duplicates": [["notes/a.md", "old/a.md"]]})
    assert "2 documents with the text of another" in text
    assert "  notes/a.md = old/a.md\n" in text
