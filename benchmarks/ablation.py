"""What each rule of an answer without a model gains and costs: each is left out in turn.

    python benchmarks/ablation.py --kbs DIR [--sets offices ...] [--rules NAME ...] [--out FILE]

asks every question of the everyday folders, 2WikiMultiHopQA (dev), HotpotQA and MuSiQue (the first
60) and LiHua-World (those with an answer of a few words) once with the preset `offline`, keeps the evidence that it reads, and answers from the same evidence
again with one rule left out. A line per rule tells how many answers change and how: right, wrong
and withheld, plain and with reserve. An answerer counts as gone where it never finds anything, a
doubt where it never doubts, a guard where it refuses nothing.
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
from hoptrail.agents.offline import answerer  # noqa: E402
from hoptrail.agents.verification import reserve  # noqa: E402
from hoptrail.agents.verification.verifier import verify  # noqa: E402
from hoptrail.core.embedding import Embed, FloatArray  # noqa: E402
from hoptrail.core.types import Answer, Evidence, QuestionType  # noqa: E402
from hoptrail.core.types.draft import Draft  # noqa: E402
from hoptrail.graphs.nodes import answer as answer_node  # noqa: E402

SETS = ("offices", "trades", "practice", "2wiki", "hotpotqa", "musique", "lihua")
ANSWERERS = (
    "compare_moments read_message_date find_reason compare_measures compare find_newer_word "
    "find_extreme find_list look_up_cell look_up_line look_up_year find_stated_value "
    "find_stated_age find_circumstance define find_difference find_role_holder find_told_subject "
    "judge_by_row read_answer answer_for_full_name answer_for_holder"
).split()
DOUBTS = (
    "neither_of_two misfit no_doer namesake overtaken unjoined is_one_of_several unasked_source "
    "lacks_steps unsaid_role unclaimed unsaid untold _is_doubtful reserve_of_trail"
).split()
GUARDS = ("is_refused", "is_other_end", "_tells_by_lines", "_is_assured")
UNLIKE_NONE: dict[str, Any] = {
    "is_refused": False,
    "is_other_end": False,
    "_tells_by_lines": True,
    "_is_assured": True,
    "read_answer": None,
}


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
    for name in parsed.rules:
        with left_out(name):
            after = [answered(one, vectors) for one in asked]
        rows.append({"rule": name, **changes(asked, before, after)})
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
def left_out(name: str) -> Iterator[None]:
    """Let one rule find nothing for a while, wherever its name is used."""
    modules = [one for one in (answerer, reserve) if hasattr(one, name)]
    former = [getattr(module, name) for module in modules]
    result = UNLIKE_NONE.get(name)
    if name in ("is_one_of_several", "_is_doubtful"):
        result = False
    for module in modules:
        setattr(module, name, lambda *_, **__: result)
    try:
        yield
    finally:
        for module, function in zip(modules, former, strict=True):
            setattr(module, name, function)


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
    rules = [*ANSWERERS, *DOUBTS, *GUARDS]
    parser.add_argument("--kbs", type=Path, required=True, metavar="DIR", help="knowledge bases")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--rules", nargs="*", choices=rules, default=rules)
    parser.add_argument("--out", type=Path, metavar="FILE", help="rows, with the questions")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    main()
