"""Measure what each rule of an answer without a model gains and costs: each is left out in turn.

    python benchmarks/ablation.py --kbs DIR [--sets offices ...] [--rules NAME ...] [--out FILE]
    python benchmarks/ablation.py --kbs DIR --functions [--reader] [--out FILE]

asks every question of the everyday folders, 2WikiMultiHopQA (dev), HotpotQA and MuSiQue (the first
60), LiHua-World (those with an answer of a few words), and of the small folders of `cases`,
`editions`, `languages` and `tables` once with the preset `offline`, keeps the
evidence that it reads (in DIR, for the next run), and answers from the same evidence again with one
rule left out: an answerer, a doubt, or a guard. With `--functions` it leaves out every function of
the rooms of rules in turn that says anything for at most 60 questions: it says no, yes, nothing.
With `--reader` the passage reader is asked as it is for users: where nothing else answers.

A line per rule tells for how many questions it says anything, how many answers change without it
and how: right, wrong and withheld, plain and with reserve. One that says nothing is
needed by no question here.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import os
import pickle
import pkgutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from data_sets import ROOT

sys.path.insert(0, str(ROOT))

from benchmarks import editions  # noqa: E402
from benchmarks.cases import measure as cases  # noqa: E402
from benchmarks.languages import __main__ as languages  # noqa: E402
from benchmarks.local_model import Question, open_base, questions_of, verdict  # noqa: E402
from benchmarks.rows import read_rows  # noqa: E402
from benchmarks.tables import measure as tables  # noqa: E402
from hoptrail import Hoptrail  # noqa: E402
from hoptrail.agents.language.text_similarity import TextSimilarity  # noqa: E402
from hoptrail.agents.offline import answerer, answerers, fact_chains  # noqa: E402
from hoptrail.agents.verification import reserve  # noqa: E402
from hoptrail.agents.verification.verifier import verify  # noqa: E402
from hoptrail.core.embedding import FloatArray, static_of  # noqa: E402
from hoptrail.core.settings import load_settings  # noqa: E402
from hoptrail.core.tables.table import Table  # noqa: E402
from hoptrail.core.types import Answer, Evidence, JsonDict, QuestionType  # noqa: E402
from hoptrail.core.types.draft import Draft  # noqa: E402
from hoptrail.graphs.nodes import answer as answer_node  # noqa: E402
from hoptrail.models.embedder import load_embedder  # noqa: E402
from hoptrail.models.passage_reader import PassageReader, PassageReading  # noqa: E402

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
)
ROOMS = ("offline", "language", "verification", "reading")
_MOST_FIRED = 60  # what speaks for more questions is no rule but the way itself
_NOTHING = {"bool": False, "tuple": (), "list": [], "frozenset": frozenset(), "set": set()}
_Module = Any


@dataclass(frozen=True)
class Rule:
    """A rule: the places that name it, what stands there without it, and when it says nothing."""

    name: str
    kind: str
    places: tuple[tuple[_Module, str], ...]
    without: Any
    nothing: Any = None
    position: int | None = None  # in the tuple that stands in its place

    def heard(self, say: Any) -> Any:
        """Return what stands in the places while `say` is called whenever the rule speaks."""
        standing = getattr(*self.places[0])
        if self.position is None:
            return _heard(standing, self.nothing, say)
        own = _heard(standing[self.position], self.nothing, say)
        return (*standing[: self.position], own, *standing[self.position + 1 :])


def _heard(call: Any, nothing: Any, say: Any) -> Any:
    @wraps(call)
    def heard(*args: Any, **named: Any) -> Any:
        result = call(*args, **named)
        if type(result) is not type(nothing) or result != nothing:
            say()
        return result

    return heard


def rules() -> dict[str, Rule]:
    """Return the rules by name: answerers and doubts by their lists, guards by their modules."""
    found: list[Rule] = []
    for kind, module, place in (
        ("answerer", answerer, "ANSWERERS"),
        ("doubt", reserve, "DOUBTS"),
    ):
        listed = getattr(module, place)
        for position, one in enumerate(listed):
            others = (*listed[:position], *listed[position + 1 :])
            name, places = one.__name__.strip("_"), ((module, place),)
            found.append(Rule(name, kind, places, others, position=position))
    for module, place, result in (
        (answerer, "answer_from_newest", ...),
        (answerer, "answer_for_holder", None),
        (answerers, "read_answer", None),
        (answerers, "is_refused", False),
        (fact_chains, "_tells_by_lines", True),
        (fact_chains, "_is_assured", True),
    ):
        without = _answer_from_all if result is ... else _constant(result)
        name = place.strip("_")
        found.append(Rule(name, "guard", ((module, place),), without, result))
    return {rule.name: rule for rule in found}


def function_rules() -> dict[str, Rule]:
    """Return every function of the rooms of rules that can say no, or nothing, by its name."""
    for room in ROOMS:
        package = importlib.import_module(f"hoptrail.agents.{room}")
        for found in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{found.name}")
    places = defaultdict(list)
    for module in [one for name, one in sys.modules.items() if name.startswith("hoptrail.")]:
        for place, value in vars(module).items():
            if inspect.isfunction(value) and _room_of(value.__module__) in ROOMS:
                places[value].append((module, place))
    return {
        rule.name: rule
        for function, found in sorted(places.items(), key=lambda item: _name(item[0]))
        for rule in _without_function(function, tuple(found))
    }


def _without_function(function: Any, places: tuple[tuple[_Module, str], ...]) -> Iterator[Rule]:
    returned = str(function.__annotations__.get("return", ""))
    kind, name = returned.split("[")[0], _name(function)
    if returned.endswith("| None"):
        yield Rule(name, "function", places, _constant(None), None)
    elif kind in _NOTHING:
        yield Rule(name, "function", places, _constant(_NOTHING[kind]), _NOTHING[kind])
        if kind == "bool":
            yield Rule(f"{name}, always", "function", places, _constant(True), True)


def _name(function: Any) -> str:
    return f"{function.__module__.removeprefix('hoptrail.agents.')}.{function.__name__}"


def _room_of(module: str) -> str:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["hoptrail", "agents"] and len(parts) > 3 else ""


def _constant(result: Any) -> Any:
    return lambda *_, **__: result


def _answer_from_all(question: str, evidence: Evidence, answer: Any) -> Draft:
    draft: Draft = answer(evidence)
    return draft


@dataclass
class Asked:
    """A question with each evidence that was searched for an answer, in order."""

    question: Question
    searches: list[tuple[str, QuestionType, Evidence, Sequence[Table]]] = field(
        default_factory=list
    )


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
        self._reader = reader

    def found(self, asked: Asked) -> tuple[str, str]:
        """Return the verdict on the first answer that is found, and its text."""
        for question, kind, evidence, tables in asked.searches:
            similarity = TextSimilarity(self._vectors.embed, self._vectors.embed_roughly)
            draft = answerer.search_answer(
                question, kind, evidence, similarity, tables, self._reader
            )
            if draft.abstained:
                continue
            checked = verify(draft, question, kind, evidence)
            if checked.verified or any(hop.support != "none" for hop in checked.trail.hops):
                perhaps = checked.reserve is not None
                given = Answer(asked.question.text, draft.text, perhaps=perhaps)
                return verdict(asked.question, given), draft.text
        return "abstained", ""

    def found_or_failed(self, asked: Asked) -> tuple[str, str]:
        """Return the same, or how the answer failed: others need what was left out."""
        try:
            return self.found(asked)
        except Exception as error:
            return "failed", type(error).__name__


def main() -> None:
    """Print the table."""
    parsed = _parser().parse_args()
    vectors = RememberedVectors(parsed.kbs)
    answers = Answers(vectors, RememberedReadings() if parsed.reader else None)
    asked = [one for name in parsed.sets for one in recorded(name, parsed.kbs)]
    known = function_rules() if parsed.functions else rules()
    names = [name for name in known if not parsed.rules or name in parsed.rules]
    before, fired = hear([known[name] for name in names], asked, answers)
    vectors.keep()
    print(f"nothing left out, {len(asked)} questions: {_counts(before)}", flush=True)
    rows = []
    for name in names:
        if parsed.functions and len(fired[name]) > _MOST_FIRED:
            continue
        with standing(known[name].places, known[name].without):
            places = fired[name]
            after = [
                answers.found_or_failed(one) if place in places else before[place]
                for place, one in enumerate(asked)
            ]
        row = {"rule": name, "kind": known[name].kind, "speaks": len(places)}
        rows.append({**row, **changes(asked, before, after)})
        print(_line(rows[-1]), flush=True)
    if parsed.out:
        parsed.out.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


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
        questions = questions_of(name, folder)  # which writes the documents of everyday folders
        with open_base(name, folder) as hoptrail:
            yield hoptrail, questions
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
        documents.mkdir(parents=True, exist_ok=True)
        for name, text in pair["files"].items():
            (documents / name).write_text(text, encoding="utf-8")
        yield documents, [_question(row, [row["answer"]]) for row in pair["questions"]]


def _languages(_: Path) -> Iterator[tuple[Path, Sequence[Question]]]:
    for code in languages.languages():
        rows = read_rows(languages.FOLDER / code / "questions.jsonl")
        yield languages.FOLDER / code / "documents", [
            _question(row, [row["answer"], *row["aliases"]] if row["answerable"] else [])
            for row in rows
        ]


def _tables(folder: Path) -> Iterator[tuple[Path, Sequence[Question]]]:
    for part, files in (("dev", ("questions", "more_questions")), ("asked", ("dev_questions",))):
        documents = tables.HERE / part / "documents"
        if not documents.exists():
            documents = folder / part
            tables.build(tables.HERE / part / "tables.json", documents)
        rows = [row for one in files for row in read_rows(tables.HERE / part / f"{one}.jsonl")]
        yield documents, [
            _question(row, [row["answer"], *row["aliases"]] if row["answerable"] else [])
            for row in rows
        ]


def _question(row: JsonDict, accepted: Sequence[str]) -> Question:
    return Question(str(row.get("id", "")), row["question"], tuple(accepted))


_SMALL = {"cases": _cases, "editions": _editions, "languages": _languages, "tables": _tables}


def hear(
    heard: Sequence[Rule], asked: Sequence[Asked], answers: Answers
) -> tuple[list[tuple[str, str]], dict[str, set[int]]]:
    """Return the verdicts with every rule, and the places of the questions where each speaks."""
    fired: dict[str, set[int]] = {rule.name: set() for rule in heard}
    place = 0
    with ExitStack() as stack:
        for rule in heard:

            def say(name: str = rule.name) -> None:
                fired[name].add(place)

            stack.enter_context(standing(rule.places, rule.heard(say)))
        verdicts = []
        for place, one in enumerate(asked):  # noqa: B007  read by `say`
            verdicts.append(answers.found(one))
    return verdicts, fired


@contextmanager
def standing(places: Sequence[tuple[_Module, str]], value: Any) -> Iterator[None]:
    """Let a value stand in the places of a rule for a while."""
    former = [getattr(module, place) for module, place in places]
    for module, place in places:
        setattr(module, place, value)
    try:
        yield
    finally:
        for (module, place), one in zip(places, former, strict=True):
            setattr(module, place, one)


def changes(
    asked: Sequence[Asked], before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Return how many verdicts differ, of what kind and for which questions."""
    rows = [
        (one.question, old[0], new[0])
        for one, old, new in zip(asked, before, after, strict=True)
        if old != new
    ]
    kinds = Counter(f"{old} -> {new}" for _, old, new in rows)
    return {
        "answers": len(rows),
        "kinds": dict(kinds),
        "questions": [(one.text, old, new) for one, old, new in rows],
    }


def _counts(verdicts: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(Counter(v for v, _ in verdicts).items()))


def _line(row: dict[str, Any]) -> str:
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(row["kinds"].items()))
    spoken = f"speaks for {row['speaks']:3}, {row['answers']:3} answers change"
    return f"{row['rule']:40} {spoken}{': ' if kinds else ''}{kinds}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--kbs", type=Path, required=True, metavar="DIR", help="knowledge bases")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--rules", nargs="*", metavar="NAME", help="these alone")
    parser.add_argument("--functions", action="store_true", help="every function of the rooms")
    parser.add_argument("--reader", action="store_true", help="ask the passage reader too")
    parser.add_argument("--out", type=Path, metavar="FILE", help="rows, with the questions")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    main()
