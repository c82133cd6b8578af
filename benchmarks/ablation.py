"""Measure what each rule of an answer without a model gains and costs: each is left out in turn.

    python benchmarks/ablation.py --kbs DIR [--sets offices ...] [--rules NAME ...] [--out FILE]
    python benchmarks/ablation.py --kbs DIR --functions --words [--together] [--reader] [--out FILE]

asks every question of the everyday folders, 2WikiMultiHopQA (dev), HotpotQA and MuSiQue (the first
60), LiHua-World (those with an answer of a few words), and of the small folders of `cases`,
`editions`, `languages` and `tables` once with the preset `offline`, keeps the evidence that it
reads (in DIR, for the next run), and answers from the same evidence again with one rule left out:
an answerer, a doubt, or a guard. `planted` marks true and corrupted claims instead.

With `--functions` every function of the rooms of rules is left out that says anything for at most
60 questions: it says no, yes, nothing, or gives back what it was given; with `--words` every
pattern and list of words, which is empty then. With `--together` what no right answer needs stays
out while the next ones are tried, for two rules may do the same. With `--reader` the passage reader
is asked as it is for users: where nothing else answers.

A line per rule tells for how many questions it says anything, how many answers change without it
and how: right, wrong and withheld, plain and with reserve. One that says nothing is
needed by no question here.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from asked_again import (
    PLANTED,
    SETS,
    Answers,
    Asked,
    AskedClaim,
    RememberedReadings,
    RememberedVectors,
    planted,
    recorded,
)
from left_out_rules import Rule, codes_of, function_rules, rules, standing, word_rules

_MOST_LOST = 20  # worth; a rule without which more is lost is needed, however much more
_WORTH_OF_CLAIMS = 2  # two true ones in three thousand, or a false one


def main() -> None:
    """Print the table."""
    parsed = _parser().parse_args()
    vectors = RememberedVectors(parsed.kbs)
    answers = Answers(vectors, RememberedReadings() if parsed.reader else None)
    asked: list[Asked | AskedClaim] = []
    for name in parsed.sets:
        asked += planted() if name == PLANTED else recorded(name, parsed.kbs)
    chosen = _chosen(parsed)
    before, fired = _told(chosen.values(), asked, answers)
    vectors.keep()
    print(f"nothing left out, {len(asked)} questions: {_counts(before)}", flush=True)
    rows, gone = [], set()
    with ExitStack() as left_out:
        for name, rule in chosen.items():
            is_rule = parsed.rules or 0 < len(fired[name]) <= parsed.most
            if not is_rule or rule.places in gone:
                continue
            with standing(rule.places, rule.without):
                after = _again(asked, sorted(fired[name]), before, answers)
            row = {"rule": name, "kind": rule.kind, "speaks": len(fired[name])}
            rows.append({**row, **changes(asked, before, after)})
            print(_line(rows[-1]), flush=True)
            if parsed.together and not _is_needed(asked, before, after):
                before = after
                gone.add(rule.places)
                left_out.enter_context(standing(rule.places, rule.without))
    print(f"in the end: {_counts(before)}", flush=True)
    if parsed.out:
        parsed.out.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _chosen(parsed: argparse.Namespace) -> dict[str, Rule]:
    """Return the rules to leave out, by name."""
    known = {
        **(function_rules() if parsed.functions else {}),
        **(word_rules() if parsed.words else {}),
    } or rules()
    return {name: one for name, one in known.items() if not parsed.rules or name in parsed.rules}


def _told(
    chosen: Iterable[Rule], asked: Sequence[Asked | AskedClaim], answers: Answers
) -> tuple[list[tuple[str, str]], dict[str, set[int]]]:
    """Return the verdicts with every rule, and the places of the questions where each speaks."""
    words, others = [], []
    for rule in chosen:
        (words if rule.kind == "words" else others).append(rule)
    verdicts, fired = hear(others, asked, answers)
    if words:
        fired.update(read_in(words, asked, answers))
    return verdicts, fired


def _again(
    asked: Sequence[Asked | AskedClaim],
    places: Sequence[int],
    before: Sequence[tuple[str, str]],
    answers: Answers,
) -> list[tuple[str, str]]:
    """Return the verdicts with those of some places found again, until too much is lost."""
    after, lost = list(before), 0
    for place in places:
        after[place] = answers.found_or_failed(asked[place])
        lost += _WORTH[before[place][0]] - _WORTH[after[place][0]]
        if lost > _MOST_LOST or after[place] == ("failed", TimeoutError.__name__):
            break
    return after


def _is_needed(
    asked: Sequence[Asked | AskedClaim],
    before: Sequence[tuple[str, str]],
    after: Sequence[tuple[str, str]],
) -> bool:
    """Return whether the questions, or more than a claim or two, come to less without a rule."""
    lost = {True: 0, False: 0}
    for one, old, new in zip(asked, before, after, strict=True):
        lost[isinstance(one, AskedClaim)] += _WORTH[old[0]] - _WORTH[new[0]]
    return lost[False] > 0 or lost[True] > _WORTH_OF_CLAIMS


_WORTH = {
    "right plain": 4,
    "right perhaps": 3,
    "abstained": 2,
    "wrong perhaps": 1,
    "wrong plain": 0,
    "failed": 0,
}


def hear(
    heard: Sequence[Rule], asked: Sequence[Asked | AskedClaim], answers: Answers
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


def read_in(
    words: Sequence[Rule], asked: Sequence[Asked | AskedClaim], answers: Answers
) -> dict[str, set[int]]:
    """Return the places of the questions for which each list of words is read."""
    readers: dict[Any, list[str]] = defaultdict(list)
    for rule in words:
        for module, place in rule.places:
            for code in codes_of(module):
                if place in code.co_names:
                    readers[code].append(rule.name)
    fired: dict[str, set[int]] = {rule.name: set() for rule in words}
    called: set[Any] = set()

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            called.add(frame.f_code)

    for place, one in enumerate(asked):
        called.clear()
        sys.setprofile(note)
        try:
            answers.found(one)
        finally:
            sys.setprofile(None)
        for code in called & readers.keys():
            for name in readers[code]:
                fired[name].add(place)
    return fired


def changes(
    asked: Sequence[Asked | AskedClaim],
    before: Sequence[tuple[str, str]],
    after: Sequence[tuple[str, str]],
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
    parser.add_argument("--words", action="store_true", help="every pattern and list of words")
    parser.add_argument("--together", action="store_true", help="what is not needed stays out")
    parser.add_argument("--most", type=int, default=60, help="questions that a rule speaks for")
    parser.add_argument("--reader", action="store_true", help="ask the passage reader too")
    parser.add_argument("--out", type=Path, metavar="FILE", help="rows, with the questions")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    main()
