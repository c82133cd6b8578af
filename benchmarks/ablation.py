"""Measure what each rule of an answer without a model gains and costs: each is left out in turn.

    python benchmarks/ablation.py --kbs DIR [--sets offices ...] [--rules NAME ...] [--out FILE]

asks every question of the everyday folders, 2WikiMultiHopQA (dev), HotpotQA and MuSiQue (the first
60) and LiHua-World (those with an answer of a few words) once with the preset `offline`, keeps the
evidence that it reads, and answers from the same evidence again with one rule left out: an
answerer, a doubt, or a guard. A line per rule tells how many answers change and how: right, wrong
and withheld, plain and with reserve.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data_sets import ROOT

sys.path.insert(0, str(ROOT))

from benchmarks.local_model import Question, open_base, questions_of, verdict  # noqa: E402
from hoptrail.agents.offline import answerer, answerers, fact_chains  # noqa: E402
from hoptrail.agents.verification import reserve  # noqa: E402
from hoptrail.agents.verification.verifier import verify  # noqa: E402
from hoptrail.core.embedding import Embed, FloatArray  # noqa: E402
from hoptrail.core.types import Answer, Evidence, QuestionType  # noqa: E402
from hoptrail.core.types.draft import Draft  # noqa: E402
from hoptrail.graphs.nodes import answer as answer_node  # noqa: E402

SETS = ("offices", "trades", "practice", "2wiki", "hotpotqa", "musique", "lihua")
_Module = Any


@dataclass(frozen=True)
class Rule:
    """A rule, and how it is left out: what stands in its module's place of a name."""

    name: str
    kind: str
    module: _Module
    place: str
    without: Any


def rules() -> dict[str, Rule]:
    """Return the rules by name: answerers and doubts by their lists, guards by their modules."""
    found: list[Rule] = []
    for kind, module, place in (
        ("answerer", answerer, "ANSWERERS"),
        ("doubt", reserve, "DOUBTS"),
    ):
        listed = getattr(module, place)
        for one in listed:
            others = tuple(other for other in listed if other is not one)
            found.append(Rule(one.__name__.strip("_"), kind, module, place, others))
    for module, place, result in (
        (answerer, "answer_from_newest", None),
        (answerer, "answer_for_full_name", None),
        (answerer, "answer_for_holder", None),
        (answerers, "read_answer", None),
        (answerers, "is_refused", False),
        (fact_chains, "is_other_end", False),
        (fact_chains, "_tells_by_lines", True),
        (fact_chains, "_is_assured", True),
        (fact_chains, "no_doer", None),
    ):
        without = _constant(result)
        if place == "answer_from_newest":
            without = _answer_from_all
        name = place.strip("_") + (" of chains" if place == "no_doer" else "")
        found.append(Rule(name, "guard", module, place, without))
    return {rule.name: rule for rule in found}


def _constant(result: Any) -> Any:
    return lambda *_, **__: result


def _answer_from_all(question: str, evidence: Evidence, answer: Any) -> Draft:
    draft: Draft = answer(evidence)
    return draft


@dataclass
class Asked:
    """A question with each evidence that was searched for an answer, in order."""

    question: Question
    searches: list[tuple[str, QuestionType, Evidence]] = field(default_factory=list)


class RememberedVectors:
    """Vectors of texts, each made once for all rules that are left out."""

    def __init__(self) -> None:
        self._known: dict[str, FloatArray] = {}
        self.embed_anew: Embed | None = None

    def embed(self, texts: Sequence[str]) -> list[FloatArray]:
        """Return a vector for each text."""
        missing = [one for one in dict.fromkeys(texts) if one not in self._known]
        if missing and self.embed_anew is not None:
            self._known.update(zip(missing, self.embed_anew(missing), strict=True))
        return [self._known[text] for text in texts]


def main() -> None:
    """Print the table."""
    parsed = _parser().parse_args()
    vectors = RememberedVectors()
    asked = [one for name in parsed.sets for one in record(name, parsed.kbs, vectors)]
    before = [answered(one, vectors) for one in asked]
    print(f"nothing left out, {len(asked)} questions: {_counts(before)}", flush=True)
    rows = []
    known = rules()
    for name in parsed.rules:
        with left_out(known[name]):
            after = [answered(one, vectors) for one in asked]
        rows.append({"rule": name, "kind": known[name].kind, **changes(asked, before, after)})
        print(_line(rows[-1]), flush=True)
    if parsed.out:
        parsed.out.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def record(name: str, folder: Path, vectors: RememberedVectors) -> list[Asked]:
    """Ask the questions of a set, and return what was searched for each."""
    rows: list[Asked] = []
    search = answer_node.search_answer

    def noted(
        question: str, kind: QuestionType, evidence: Evidence, embed: Embed | None = None
    ) -> Draft:
        vectors.embed_anew = embed
        rows[-1].searches.append((question, kind, evidence))
        return search(question, kind, evidence, vectors.embed)  # type: ignore[arg-type]

    answer_node.search_answer = noted
    try:
        with open_base(name, folder) as hoptrail:
            for question in questions_of(name, folder):
                rows.append(Asked(question))
                hoptrail.ask(question.text, preset="offline")
    finally:
        answer_node.search_answer = search
    return rows


def answered(asked: Asked, vectors: RememberedVectors) -> tuple[str, str]:
    """Return the verdict on the first answer that is found, and its text."""
    for question, kind, evidence in asked.searches:
        draft = answerer.search_answer(question, kind, evidence, vectors.embed)  # type: ignore[arg-type]
        if draft.abstained:
            continue
        checked = verify(draft, question, kind, evidence)
        if checked.verified or any(hop.support != "none" for hop in checked.trail.hops):
            perhaps = checked.reserve is not None
            given = Answer(asked.question.text, draft.text, perhaps=perhaps)
            return verdict(asked.question, given), draft.text
    return "abstained", ""


@contextmanager
def left_out(rule: Rule) -> Iterator[None]:
    """Answer without one rule for a while."""
    former = getattr(rule.module, rule.place)
    setattr(rule.module, rule.place, rule.without)
    try:
        yield
    finally:
        setattr(rule.module, rule.place, former)


def changes(
    asked: Sequence[Asked], before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Return how many verdicts differ, of what kind and for which questions."""
    rows = [
        (one.question, old[0], new[0])
        for one, old, new in zip(asked, before, after, strict=True)
        if old != new
    ]
    kinds = Counter(f"{old} -> {new}" for _, old, new in rows if old != new)
    return {
        "answers": len(rows),
        "kinds": dict(kinds),
        "questions": [(one.text, old, new) for one, old, new in rows],
    }


def _counts(verdicts: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(Counter(v for v, _ in verdicts).items()))


def _line(row: dict[str, Any]) -> str:
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(row["kinds"].items()))
    return f"{row['rule']:24} {row['answers']:3} answers change: {kinds}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=(__doc__ or "").splitlines()[0]
    )
    names = list(rules())
    parser.add_argument("--kbs", type=Path, required=True, metavar="DIR", help="knowledge bases")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--rules", nargs="*", choices=names, default=names)
    parser.add_argument("--out", type=Path, metavar="FILE", help="rows, with the questions")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    main()
