"""Signs, in numbers, that a sentence states a claim around one word of its predicate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hoptrail.agents.language.sentence_grammar import BE, SentenceGrammar
from hoptrail.agents.verification.claim_ends import EndInSentence
from hoptrail.agents.verification.predicate_sense import PredicateSense
from hoptrail.agents.verification.role_reader import RoleReader

_CLAUSE_WORDS = frozenset("; : but while whereas although because if whether after before".split())
_RELATIVES = frozenset("who which that whom whose where when".split())
_PREPOSITIONS = frozenset(
    """of in on at by for from to with within near under into through over via since until as
    before after during between among along beside against across around""".split()
)
_FUNCTION_WORDS = frozenset(
    """a an the this that these those its his her their , is are was were be been being has have had
    also then later first now and""".split()
)
_KINDS = ("verb", "noun", "attribute", "placing", "having", "link")
_ORDERS = ("sto", "ots", "sot", "ost", "tso", "tos")
_FAR = 30


def feature_names() -> tuple[str, ...]:
    """Return the names of the signs, in their order."""
    orders = [f"{kind}:{order}" for kind in ("verb", "flipped", "other") for order in _ORDERS]
    return (*(f"kind:{kind}" for kind in _KINDS), *orders, *_NAMES)


_NAMES = (
    "proof", "reverse proof", "subject elsewhere", "object elsewhere", "gap subject", "gap object",
    "adjacent subject", "adjacent object", "verbs to subject", "verbs to object",
    "names to subject", "names to object", "list to object", "other antecedent", "clause break",
    "preposition fits", "preposition differs", "preposition lacks", "preposition extra", "value",
    "nearer value", "subject spelled", "subject pronoun", "subject unsaid", "object unsaid",
    "subject first", "gap ends", "names between", "life bracket", "compact", "subject owned",
    "object owned", "capital trigger", "subject right of comma",
)  # fmt: skip


class StatementSigns:
    """Reads the signs of one claim's sense in one sentence."""

    def __init__(
        self,
        grammar: SentenceGrammar,
        subject: EndInSentence,
        object_: EndInSentence,
        sense: PredicateSense,
    ) -> None:
        self._grammar = grammar
        self._subject = subject
        self._object = object_
        self._sense = sense
        self._reader = RoleReader(grammar, subject, object_, sense)
        self._reversed = RoleReader(grammar, object_, subject, sense)
        self._in_brackets = _bracketed(grammar)

    def rows(self, trigger: int) -> Iterator[list[float]]:
        """Yield the signs around a word for each way to choose the ends' places."""
        fixed = self._fixed(trigger)
        for subject in self._choices(self._subject, trigger):
            for object_ in self._choices(self._object, trigger):
                if subject is None and object_ is None or _overlap(subject, object_):
                    continue
                yield self._row(trigger, subject, object_, fixed)

    def _choices(self, end: EndInSentence, trigger: int) -> Sequence[range | None]:
        """Return the nearest place of an end on either side of a word; None where it is implied."""
        places = [places for places in self._reader.places(end) if places]
        left = [one for one in places if one.stop <= trigger][-1:]
        right = [one for one in places if one.start > trigger][:1]
        pronoun = self._pronoun(trigger) if end.is_implied and not left else None
        if pronoun is not None:
            return [*right, pronoun]
        return [*left, *right] or [None]

    def _pronoun(self, trigger: int) -> range | None:
        """Return the pronoun or "the ..." left of a word that may stand for the topic."""
        for place in range(trigger - 1, -1, -1):
            token = self._grammar.low(place)
            if token in {"he", "she", "it", "they", "his", "her", "its", "their"}:
                return range(place, place + 1)
        if self._grammar.low(0) in {"the", "this"} and not self._grammar.is_name(1):
            end = 1
            while end < trigger and self._grammar.low(end).isalpha() and end < 3:
                end += 1
                if self._grammar.is_verb(end) or self._grammar.low(end) in BE | _PREPOSITIONS:
                    break
            return range(0, end)
        return None

    def _fixed(self, trigger: int) -> dict[str, float]:
        subjects, objects = self._reader.fillers(trigger)
        return {
            "proof": self._reader.is_proven(trigger),
            "reverse proof": not self._sense.is_mutual and self._reversed.is_proven(trigger),
            "subject elsewhere": self._is_filled_otherwise(subjects, self._subject),
            "object elsewhere": self._is_filled_otherwise(objects, self._object),
            "capital trigger": self._grammar.is_name(trigger),
        }

    def _is_filled_otherwise(self, phrases: Sequence[object], end: EndInSentence) -> bool:
        if not phrases or self._reader.has(phrases, end):  # type: ignore[arg-type]
            return False
        return any(
            self._grammar.is_name(place)
            for one in phrases
            for place in range(one.start, one.head_end)  # type: ignore[attr-defined]
        )

    def _row(
        self,
        trigger: int,
        subject: range | None,
        object_: range | None,
        fixed: dict[str, float],
    ) -> list[float]:
        sense, grammar = self._sense, self._grammar
        signs = dict(fixed)
        order = _order(trigger, subject, object_)
        is_flipped = sense.kind == "verb" and (
            self._reader.is_passive_at(trigger) != sense.is_passive
        )
        group = "flipped" if is_flipped else "verb" if sense.kind == "verb" else "other"
        signs[f"{group}:{order}"] = 1.0
        signs[f"kind:{sense.kind}"] = 1.0
        to_subject = _between(trigger, subject)
        to_object = _between(trigger, object_)
        plain_subject = [p for p in to_subject if p not in self._in_brackets]
        plain_object = [p for p in to_object if p not in self._in_brackets]
        signs["gap subject"] = math.log1p(min(len(plain_subject), _FAR))
        signs["gap object"] = math.log1p(min(len(plain_object), _FAR))
        signs["adjacent subject"] = subject is not None and self._only_function(plain_subject)
        signs["adjacent object"] = object_ is not None and self._only_function(plain_object)
        signs["verbs to subject"] = self._verbs(plain_subject, trigger)
        signs["verbs to object"] = self._verbs(plain_object, trigger)
        signs["names to subject"] = self._names(plain_subject)
        is_list = self._is_list(plain_object)
        signs["list to object"] = is_list
        signs["names to object"] = 0 if is_list else self._names(plain_object)
        signs["other antecedent"] = self._has_other_antecedent(trigger, subject)
        span = [*to_subject, *to_object]
        signs["clause break"] = any(grammar.low(p) in _CLAUSE_WORDS for p in span)
        signs |= self._preposition_signs(object_, trigger)
        signs["value"] = self._object.is_value
        signs["nearer value"] = self._object.is_value and any(
            grammar.low(p)[:1].isdigit() for p in plain_object
        )
        signs |= self._subject_signs(subject, trigger)
        signs["object unsaid"] = object_ is None
        if subject is not None and object_ is not None:
            inside = [
                p
                for p in range(min(subject.stop, object_.stop), max(subject.start, object_.start))
                if p not in self._in_brackets
            ]
            signs["gap ends"] = math.log1p(min(len(inside), _FAR))
            signs["names between"] = self._names(inside)
        signs["compact"] = len(plain_subject) + len(plain_object) <= 4
        if object_ is not None:
            signs["object owned"] = grammar.low(object_.stop) in {"'s", "’s"}
        return [float(signs.get(name, 0.0)) for name in _ORDERED]

    def _subject_signs(self, subject: range | None, trigger: int) -> dict[str, float]:
        grammar = self._grammar
        if subject is None:
            return {"subject unsaid": 1.0}
        is_spelled = any(subject == one for one in self._reader.places(self._subject))
        return {
            "subject spelled": is_spelled,
            "subject pronoun": not is_spelled,
            "subject first": subject.start <= 1,
            "subject owned": grammar.low(subject.stop) in {"'s", "’s"},
            "subject right of comma": grammar.low(subject.start - 1) == ",",
            "life bracket": grammar.low(subject.stop) == "(",
        }

    def _preposition_signs(self, object_: range | None, trigger: int) -> dict[str, float]:
        if object_ is None:
            return {}
        place = object_.start - 1
        while place > trigger and self._grammar.low(place) in _FUNCTION_WORDS:
            place -= 1
        found = self._grammar.low(place) if place != trigger else ""
        if place == trigger and self._sense.kind in {"placing", "link"}:
            found = self._grammar.low(place)
        found = found if found in _PREPOSITIONS else ""
        wanted = self._sense.preposition
        return {
            "preposition fits": bool(wanted) and found == wanted,
            "preposition differs": bool(wanted and found) and found != wanted,
            "preposition lacks": bool(wanted) and not found,
            "preposition extra": bool(found) and not wanted,
        }

    def _verbs(self, places: Sequence[int], trigger: int) -> float:
        count = 0
        for place in places:
            is_helper = self._grammar.low(place) in BE or self._grammar.low(place) in {"has", "had", "have"}
            count += self._grammar.is_verb(place) and not (is_helper and abs(place - trigger) < 4)
        return float(min(count, 3))

    def _names(self, places: Sequence[int]) -> float:
        """Return how many names stand at places, values not counted."""
        count, inside = 0, False
        for place in places:
            is_name = self._grammar.is_name(place) and not self._grammar.low(place)[:1].isdigit()
            count += is_name and not inside
            inside = is_name
        return float(min(count, 4))

    def _is_list(self, places: Sequence[int]) -> bool:
        """Return whether only other members of a list stand at places."""
        joints = {",", "and", "or", "&"} | _FUNCTION_WORDS | _PREPOSITIONS
        has_joint = any(self._grammar.low(p) in {",", "and", "or", "&"} for p in places)
        return has_joint and all(
            self._grammar.is_name(p) or self._grammar.low(p) in joints for p in places
        )

    def _only_function(self, places: Sequence[int]) -> bool:
        return all(
            self._grammar.low(p) in _FUNCTION_WORDS or self._grammar.low(p) in _PREPOSITIONS
            for p in places
        )

    def _has_other_antecedent(self, trigger: int, subject: range | None) -> bool:
        """Return whether a relative clause around the word belongs to another name."""
        start = subject.stop if subject is not None and subject.stop <= trigger else 0
        for place in range(trigger - 1, start - 1, -1):
            if self._grammar.low(place) in _RELATIVES:
                before = place - 1 - (self._grammar.low(place - 1) == ",")
                return before >= start and self._grammar.is_name(before)
        return False


_ORDERED = feature_names()


def _order(trigger: int, subject: range | None, object_: range | None) -> str:
    places = {"t": trigger}
    places["s"] = subject.start if subject is not None else -1
    places["o"] = object_.start if object_ is not None else -1
    return "".join(sorted(places, key=lambda name: places[name]))


def _between(trigger: int, place: range | None) -> range:
    if place is None:
        return range(0, trigger)
    return range(place.stop, trigger) if place.stop <= trigger else range(trigger + 1, place.start)


def _overlap(left: range | None, right: range | None) -> bool:
    return left is not None and right is not None and (
        left.start < right.stop and right.start < left.stop
    )


def _bracketed(grammar: SentenceGrammar) -> frozenset[int]:
    """Return the tokens inside brackets, the signs included."""
    inside: set[int] = set()
    depth = 0
    for place, token in enumerate(grammar.tokens):
        depth += token.low == "("
        if depth > 0:
            inside.add(place)
        depth -= token.low == ")"
    return frozenset(inside)
