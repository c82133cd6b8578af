"""Figures of reading scans: word error rate and seconds a page by kind, and questions over them.

    python -m benchmarks.scans [--pages 40] [--keep FOLDER]

Pages of known text are made, spoiled as scanners and cameras spoil them, indexed as files, and
asked about without a model.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.scanned_pages import Question, ScannedSheet, save_sheet, scanned_sheets
from hoptrail import Hoptrail
from hoptrail.core.text import name_key
from hoptrail.core.types import Document
from hoptrail.core.types.document import UNSURE
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.scans.reading import Scans
from hoptrail.indexing.loading.worker_process import ScanPool

_WORD = re.compile(r"\w+")
_BANDS = (0.5, 0.6, 0.7, UNSURE, 0.9, 0.95, 1.01)


def main() -> None:
    """Make the pages, read them, ask, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--keep", type=Path, help="folder for the pages and the base")
    chosen = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = (chosen.keep or Path(temporary)) / "scans"
        folder.mkdir(parents=True, exist_ok=True)
        sheets = {save_sheet(one, folder): one for one in scanned_sheets(chosen.seed, chosen.pages)}
        read_one_by_one(sheets)
        ask_over(folder, folder.parent / "kb", list(sheets.values()))


def read_one_by_one(sheets: dict[Path, ScannedSheet]) -> None:
    """Print errors and seconds by kind, each page read by one process."""
    errors: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    sure: list[tuple[float, bool]] = []
    pool = ScanPool(1)
    for path, sheet in sheets.items():
        begun = time.perf_counter()
        (document,) = load_documents([path], scans=Scans(pool=pool))
        seconds = time.perf_counter() - begun
        if not isinstance(document, Document):
            print(f"{path.name}: {document.reason}")
            errors[sheet.kind].append((1, 1, seconds))
            continue
        wanted, found = _WORD.findall(sheet.text), _WORD.findall(document.text)
        errors[sheet.kind].append((distance(wanted, found), len(wanted), seconds))
        known = set(wanted)
        for page in document.scans:
            for word in page.words:
                told = _WORD.findall(document.text[word.start : word.end])
                sure.append((word.confidence, all(one in known for one in told)))
    pool.close()
    print(f"{'kind':<14}{'pages':>6}{'words':>7}{'word errors':>13}{'seconds a page':>16}")
    for kind, rows in errors.items():
        print(_line(kind, rows))
    print(_line("all", [row for rows in errors.values() for row in rows]))
    _print_confidence(sure)


def _line(kind: str, rows: Sequence[tuple[int, int, float]]) -> str:
    wrong, words = sum(row[0] for row in rows), sum(row[1] for row in rows)
    seconds = sum(row[2] for row in rows) / len(rows)
    return f"{kind:<14}{len(rows):>6}{words:>7}{wrong / words:>13.2%}{seconds:>16.1f}"


def _print_confidence(sure: Sequence[tuple[float, bool]]) -> None:
    """Print how many words of each confidence are none of the page's."""
    print(f"\n{'confidence below':<18}{'words':>7}{'misread':>9}")
    low = 0.0
    for high in _BANDS:
        own = [is_right for confidence, is_right in sure if low <= confidence < high]
        if own:
            print(f"{high:<18}{len(own):>7}{own.count(False):>9}")
        low = high


def ask_over(folder: Path, base: Path, sheets: Sequence[ScannedSheet]) -> None:
    """Index the pages as a folder, ask without a model, and print how many answers are right."""
    begun = time.perf_counter()
    with Hoptrail.open(base, create=True, writable=True) as hoptrail:
        hoptrail.index([folder], extractor="nlp")
    seconds = time.perf_counter() - begun
    print(f"\nindexed {len(sheets)} pages in {seconds:.0f} s, {seconds / len(sheets):.1f} s a page")
    questions = [question for sheet in sheets for question in sheet.questions]
    with Hoptrail.open(base) as hoptrail:
        outcomes = [_outcome(hoptrail, question) for question in questions]
    for outcome in ("right", "right, perhaps", "wrong, perhaps", "wrong", "abstained"):
        print(f"{outcome:<16}{outcomes.count(outcome):>4} of {len(questions)}")


def _outcome(hoptrail: Hoptrail, question: Question) -> str:
    answer = hoptrail.ask(question.text)
    if answer.abstained:
        return "abstained"
    is_right = name_key(question.answer) in name_key(answer.text)
    return ("right" if is_right else "wrong") + (", perhaps" if answer.perhaps else "")


def distance(wanted: Sequence[str], found: Sequence[str]) -> int:
    """Return how many words are to be put in, left out or changed to make one text the other."""
    before = list(range(len(found) + 1))
    for row, one in enumerate(wanted, start=1):
        current = [row]
        for column, other in enumerate(found, start=1):
            changed = before[column - 1] + (one != other)
            current.append(min(changed, before[column] + 1, current[-1] + 1))
        before = current
    return before[-1]


if __name__ == "__main__":
    main()
