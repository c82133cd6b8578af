"""Scores of one answer or one ranking, as pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from hoptrail.core.text import contains_answer, normalize_answer

GoldSet = Sequence[Sequence[str]]
"""A set of gold answers, each with its accepted forms."""


def recall_at(k: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return the share of the gold documents among the first `k` of a ranking."""
    return len(set(ranking[:k]) & set(gold)) / len(set(gold))


def all_support_at(k: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return 1 if every gold document is among the first `k` of a ranking, else 0."""
    return float(set(gold) <= set(ranking[:k]))


def covers(context: str, accepted: Iterable[str]) -> float:
    """Return 1 if an accepted answer stands in the context as whole tokens, else 0."""
    return float(any(contains_answer(context, form) for form in accepted))


def exact_match(answer: str, accepted: Iterable[str]) -> float:
    """Return 1 if the answer equals an accepted form after SQuAD normalisation, else 0."""
    given = normalize_answer(answer)
    return float(any(given == normalize_answer(form) for form in accepted))


def token_f1(answer: str, accepted: Iterable[str]) -> float:
    """Return the best F1 of normalised tokens over the accepted forms (SQuAD)."""
    given = normalize_answer(answer).split()
    return max((_overlap_f1(given, normalize_answer(form).split()) for form in accepted), default=0)


def _overlap_f1(given: list[str], gold: list[str]) -> float:
    if not given or not gold:
        return float(given == gold)
    common = sum((Counter(given) & Counter(gold)).values())
    return 2 * common / (len(given) + len(gold))


def heuristic_match(answer: str, accepted: Iterable[str]) -> bool:
    """Return whether an answer is right by its words alone.

    Right is: equal, one a whole-token part of the other, or the same last token. Yes and no must
    open the answer, and a number as last token decides nothing: other dates share their year.
    """
    given = normalize_answer(answer).split()
    return bool(given) and any(_matches(given, normalize_answer(form).split()) for form in accepted)


def _matches(given: list[str], gold: list[str]) -> bool:
    if not gold:
        return False
    if gold in (["yes"], ["no"]):
        return given[0] == gold[0]
    if _is_part(gold, given) or _is_part(given, gold):
        return True
    return given[-1] == gold[-1] and not any(character.isdigit() for character in gold[-1])


def _is_part(part: list[str], whole: list[str]) -> bool:
    return f" {' '.join(part)} " in f" {' '.join(whole)} "


def hit_at(k: int, answers: Sequence[str], gold: GoldSet) -> float:
    """Return 1 if one of the first `k` answers is in the gold set, else 0."""
    return float(any(exact_match(answer, forms) for answer in answers[:k] for forms in gold))


def set_f1(answers: Sequence[str], gold: GoldSet) -> float:
    """Return the F1 of the set of answers against the set of gold answers."""
    given = {normalize_answer(answer): answer for answer in answers}
    right = sum(any(exact_match(answer, forms) for forms in gold) for answer in given.values())
    found = sum(any(exact_match(answer, forms) for answer in given.values()) for forms in gold)
    if not right or not found:
        return 0.0
    precision, recall = right / len(given), found / len(gold)
    return 2 * precision * recall / (precision + recall)
