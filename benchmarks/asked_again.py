"""Questions that are answered again and again from what was searched for them once.

Each question of the everyday folders, of public sets and of small folders is asked once with the
preset `offline`; the evidence that it reads is kept. True and corrupted claims stand beside them.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

import numpy as np
from data_sets import ROOT, data_folder

sys.path.insert(0, str(ROOT))

from benchmarks import editions  # noqa: E402
from benchmarks.cases import measure as cases  # noqa: E402
from benchmarks.languages import __main__ as languages  # noqa: E402
from benchmarks.local_model import Question, open_base, questions_of, verdict  # noqa: E402
from benchmarks.planted import TUNING  # noqa: E402
from benchmarks.rows import read_rows  # noqa: E402
from benchmarks.tables import measure as table_sets  # noqa: E402
from benchmarks.tables.build import build  # noqa: E402
from hoptrail import Hoptrail  # noqa: E402
from hoptrail.agents.language.text_similarity import TextSimilarity  # noqa: E402
from hoptrail.agents.offline import answerer  # noqa: E402
from hoptrail.agents.verification.likelihood import is_unlikely, likelihood_of  # noqa: E402
from hoptrail.agents.verification.verifier import Verification, verify  # noqa: E402
from hoptrail.core.embedding import FloatArray, static_of  # noqa: E402
from hoptrail.core.settings import load_settings  # noqa: E402
from hoptrail.core.tables.table import Table  # noqa: E402
from hoptrail.core.types import Answer, Evidence, JsonDict, QuestionType  # noqa: E402
from hoptrail.core.types.draft import Draft  # noqa: E402
from hoptrail.eval.planted.claims import PassageClaim  # noqa: E402
from hoptrail.eval.planted.evaluation import mark_as_trail, plant  # noqa: E402
from hoptrail.eval.planted.sources import load_claims  # noqa: E402
from hoptrail.graphs.nodes import answer as answer_node  # noqa: E402
from hoptrail.models.embedder import load_embedder  # noqa: E402
from hoptrail.models.passage_reader import PassageReader, PassageReading  # noqa: E402

PLANTED = "planted"
"""True and corrupted claims of the sets that rules are chosen on: are they marked as stated?"""
SETS = (
    "offices",
    "trades",
    "practice",
    "2wiki",
    "hotpotqa",
    "musique",
    "lihua",
    "reading",
    "forms",
    "cases",
    "editions",
    "languages",
    "tables",
    PLANTED,
)
_TRUE_CLAIMS = 300
_FALSE_OF_A_KIND = 60
_LONGEST_SECONDS = 20  # for one answer


@dataclass
class Asked:
    """A question with each evidence that was searched for an answer, in order."""

    question: Question
    searches: list[tuple[str, QuestionType, Evidence, Sequence[Table]]] = field(
        default_factory=list
    )
    kept: bytes | None = None  # as they were before they were read


@dataclass
class AskedClaim:
    """A claim that is true, or false by what was done to it."""

    question: Question
    claim: PassageClaim
    is_true: bool

    def found(self) -> tuple[str, str]:
        """Return the verdict on its mark."""
        is_stated = mark_as_trail(self.claim) == "stated"
        if self.is_true:
            return "right plain" if is_stated else "right perhaps", ""
        return "wrong plain" if is_stated else "abstained", ""


@dataclass(frozen=True)
class Found:
    """An answer that was found without a model: to which question, in what, and how it checks."""

    question: str
    evidence: Evidence
    draft: Draft
    verdict: Verification


class RememberedReadings:
    """The passage reader, which reads a passage once for all rules that are left out."""

    def __init__(self) -> None:
        self._reader = PassageReader.shipped()
        self._known: dict[tuple[str, tuple[str, str]], PassageReading] = {}
        self._likelihoods: dict[tuple[str, tuple[tuple[str, str], ...], str], float | None] = {}

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[PassageReading]:
        """Return a reading of each passage."""
        if self._reader is None:
            raise SystemExit("--reader needs hoptrail[embed]")
        new = [one for one in passages if (question, one) not in self._known]
        for one, reading in zip(new, self._reader.read(question, new), strict=True):
            self._known[question, one] = reading
        return [self._known[question, one] for one in passages]

    def likelihood(
        self, question: str, passages: Sequence[tuple[str, str]], answer: str
    ) -> float | None:
        """Return how likely the words answer the question, as far as the passages tell."""
        if self._reader is None:
            raise SystemExit("--reader needs hoptrail[embed]")
        asked = question, tuple(passages), answer
        if asked not in self._likelihoods:
            self._likelihoods[asked] = self._reader.likelihood(question, passages, answer)
        return self._likelihoods[asked]


class RememberedVectors:
    """Vectors of texts, each made once for all rules that are left out, and kept for the next run.

    Args:
        folder: Where they are kept.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "vectors.pickle"
        self._known: dict[str, FloatArray] = {}
        if self._file.exists():
            self._known = pickle.loads(self._file.read_bytes())  # noqa: S301  our own file
        self._embedder = load_embedder(load_settings().embedder)
        static = static_of(self._embedder)
        self.embed_roughly = None if static is None else static.embed

    def keep(self) -> None:
        """Write them to their file."""
        self._file.write_bytes(pickle.dumps(self._known))

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Return a vector for each text."""
        missing = [one for one in dict.fromkeys(texts) if one not in self._known]
        if missing:
            made = self._embedder.embed(missing)
            self._known.update(zip(missing, made, strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32)


class Answers:
    """Answers questions from the evidence that was kept, and says whether they are right.

    Args:
        vectors: Those of texts.
        reader: Reads passages where nothing else answers; None leaves it out.
    """

    def __init__(self, vectors: RememberedVectors, reader: Any = None) -> None:
        self._vectors = vectors
        self.reader = reader

    def found(self, asked: Asked | AskedClaim) -> tuple[str, str]:
        """Return the verdict on the first answer that is found, and its text."""
        if isinstance(asked, AskedClaim):
            return asked.found()
        found = self.searched(asked)
        if found is None:
            return "abstained", ""
        likely = likelihood_of(
            found.draft, found.verdict, found.question, found.evidence, self.reader
        )
        if is_unlikely(replace(found.verdict, likelihood=likely)):
            return "abstained", ""
        perhaps = found.verdict.reserve is not None
        given = Answer(asked.question.text, found.draft.text, perhaps=perhaps)
        return verdict(asked.question, given), found.draft.text

    def searched(self, asked: Asked) -> Found | None:
        """Return the first answer that is found, however likely it is right."""
        kept = pickle.dumps(asked.searches) if asked.kept is None else asked.kept
        asked.kept = kept
        for question, kind, evidence, tables in pickle.loads(kept):  # noqa: S301  our own
            similarity = TextSimilarity(self._vectors.embed, self._vectors.embed_roughly)
            draft = answerer.search_answer(
                question, kind, evidence, similarity, tables, self.reader
            )
            if draft.abstained:
                continue
            checked = verify(draft, question, kind, evidence)
            if checked.verified or any(hop.support != "none" for hop in checked.trail.hops):
                return Found(question, evidence, draft, checked)
        return None

    def found_or_failed(self, asked: Asked | AskedClaim) -> tuple[str, str]:
        """Return the same, or how the answer failed: others need what was left out."""
        signal.signal(signal.SIGALRM, _stop)
        signal.alarm(_LONGEST_SECONDS)
        try:
            return self.found(asked)
        except Exception as error:
            return "failed", type(error).__name__
        finally:
            signal.alarm(0)


def _stop(*_: Any) -> None:
    raise TimeoutError  # a loop without its end


def planted() -> list[AskedClaim]:
    """Return true and corrupted claims."""
    found = []
    for file, form in TUNING.items():
        claims = load_claims(data_folder(file) / file, form)
        drawn = [
            *takewhile(lambda one: one.kind == "true", plant(claims, _TRUE_CLAIMS, seed=42)),
            *(one for one in plant(claims, _FALSE_OF_A_KIND, seed=42) if one.kind != "true"),
        ]
        for one in drawn:
            kind, claim = one.kind, one.claim
            text = f"{kind}: {claim.subject} | {claim.predicate} | {claim.object}"
            found.append(AskedClaim(Question(claim.id, text, ()), claim, kind == "true"))
    return found


def recorded(name: str, folder: Path) -> list[Asked]:
    """Return what is searched for each question of a set, asked once and kept in the folder."""
    kept = folder / f"searched-{name}.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(record(name, folder)))
    rows: list[Asked] = pickle.loads(kept.read_bytes())  # noqa: S301  our own file
    return rows


def record(name: str, folder: Path) -> list[Asked]:
    """Ask the questions of a set, and return what was searched for each."""
    rows: list[Asked] = []
    search = answer_node.search_answer

    def noted(
        question: str,
        kind: QuestionType,
        evidence: Evidence,
        similarity: TextSimilarity,
        tables: Sequence[Table],
        reader: PassageReader | None,
    ) -> Draft:
        rows[-1].searches.append((question, kind, evidence, tables))
        return search(question, kind, evidence, similarity, tables, reader)

    answer_node.search_answer = noted  # type: ignore[assignment]
    try:
        for hoptrail, questions in _bases(name, folder):
            for question in questions:
                rows.append(Asked(question))
                hoptrail.ask(question.text, preset="offline")
    finally:
        answer_node.search_answer = search
    return rows


def _bases(name: str, folder: Path) -> Iterator[tuple[Hoptrail, Sequence[Question]]]:
    """Yield each open base of a set with its questions."""
    if name not in _SMALL:
        own = questions_of(name, folder)  # which writes the documents of everyday folders
        with open_base(name, folder) as hoptrail:
            yield hoptrail, own
        return
    for number, (documents, questions) in enumerate(_SMALL[name](folder / name)):
        base = folder / f"kb-{name}-{number}"
        is_new = not base.exists()
        with Hoptrail.open(base, create=True, writable=is_new) as hoptrail:
            if is_new:
                hoptrail.index([documents], extractor="nlp")
            yield hoptrail, questions


def _cases(_: Path) -> Iterator[tuple[Path, Sequence[Question]]]:
    rows = read_rows(cases.HERE / "questions.jsonl")
    for folder, own in groupby(rows, key=lambda row: str(row["folder"])):
        yield cases.HERE / "documents" / folder, [_question(row, row["answers"]) for row in own]


def _editions(folder: Path) -> Iterator[tuple[Path, Sequence[Question]]]:
    for number, pair in enumerate(read_rows(editions.DATA)):
        documents = folder / f"{number}"
        editions.write(pair, documents)
        yield documents, [_question(row, [row["answer"]]) for row in pair["questions"]]


def _languages(_: Path) -> Iterator[tuple[Path, Sequence[Question]]]:
    for code in languages.languages():
        rows = read_rows(languages.FOLDER / code / "questions.jsonl")
        yield (
            languages.FOLDER / code / "documents",
            [_question(row, _accepted(row)) for row in rows],
        )


def _tables(folder: Path) -> Iterator[tuple[Path, Sequence[Question]]]:
    for part, files in (
        ("dev", ("questions", "more_questions")),
        ("asked", ("dev_questions", "questions")),
    ):
        documents = table_sets.HERE / part / "documents"
        if not documents.exists():
            documents = folder / part
            build(table_sets.HERE / part / "tables.json", documents)
        rows = [row for one in files for row in read_rows(table_sets.HERE / part / f"{one}.jsonl")]
        yield (
            documents,
            [_question(row, _accepted(row)) for row in rows],
        )


def _accepted(row: JsonDict) -> list[str]:
    return [row["answer"], *row["aliases"]] if row["answerable"] else []


def _question(row: JsonDict, accepted: Sequence[str]) -> Question:
    return Question(str(row.get("id", "")), row["question"], tuple(accepted))


_SMALL = {"cases": _cases, "editions": _editions, "languages": _languages, "tables": _tables}
