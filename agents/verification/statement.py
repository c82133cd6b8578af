"""Whether a sentence states a claim: subject, predicate and object in one statement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.mentions import kind_of
from hoptrail.agents.language.sentence_grammar import (
    BE,
    Complement,
    NounPhrase,
    SentenceGrammar,
)
from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.agents.verification.predicate_sense import (
    PredicateSense,
    Role,
    acts,
    kinship,
    read_predicate,
)
from hoptrail.core.text import name_key
from hoptrail.core.types.draft import HopClaim
from hoptrail.core.types import SupportState

_SEPARATED = re.compile(r"\s[|•·»>]\s|\t|\s{3,}")
_DENIALS = frozenset(
    """not n't never no neither nor without cannot denied denies deny doubted refused declined failed
    if unless whether would could might hardly allegedly supposedly rumoured rumored false untrue
    cancelled canceled rejected withdrew withdrawn proposed considered planned hoped""".split()
)
_LIFE = re.compile(r"\(([^()]*\d{3,4}[^()]*)\)")
_PLACE_WORDS = frozenset("in at near on from to of within".split())


def is_statement(text: str) -> bool:
    """Return whether a text can state anything: no question, heading, menu or table line."""
    return not (
        text.rstrip("\"'”’) ").endswith("?") or text.startswith("#") or _SEPARATED.search(text)
    )


def support_in(claim: HopClaim, sentence: Sentence, index: EvidenceIndex) -> SupportState:
    """Return what of a claim a sentence states.

    "stated": it has both ends, in the roles that the claim gives them, and says the predicate of
    them without denying it. "partly": it has both ends. "none": it lacks one.
    """
    ends = (_End.of(claim.subject, claim.object, sentence, index),
            _End.of(claim.object, claim.subject, sentence, index))  # fmt: skip
    if not all(end.is_present for end in ends) or not any(end.spans for end in ends):
        return "none"
    if not is_statement(sentence.text):
        return "partly"
    reader = _StatementReader(sentence, *ends, read_predicate(claim.predicate))
    return "stated" if reader.is_stated() else "partly"


@dataclass(frozen=True, slots=True)
class _End:
    """Where a sentence has one end of a claim: the spans that spell it, or only by implication."""

    name: str
    spans: tuple[tuple[int, int], ...]
    is_implied: bool
    is_topic: bool

    @classmethod
    def of(cls, name: str, beside: str, sentence: Sentence, index: EvidenceIndex) -> _End:
        aliases = index.aliases(name)
        spans = tuple(dict.fromkeys(span for one in aliases for span in _spans(sentence.text, one)))
        if not spans and any(index.mentions(sentence, one, beside) for one in aliases):
            lasts = (name_key(one).rpartition(" ")[2] for one in aliases)
            spans = tuple(dict.fromkeys(s for one in lasts for s in _spans(sentence.text, one)))
        is_topic = any(index.is_topic(sentence.chunk, one) for one in aliases)
        implied = is_topic or any(index.implies(sentence, one) for one in aliases)
        return cls(name, spans, implied, is_topic)

    @property
    def is_present(self) -> bool:
        return bool(self.spans) or self.is_implied

    @property
    def is_value(self) -> bool:
        return kind_of(self.name) in {"date", "number"}


def _spans(text: str, name: str) -> Iterator[tuple[int, int]]:
    parts = re.findall(r"\w+", name)
    if parts:
        pattern = r"\W{1,3}".join(map(re.escape, parts))
        for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE):
            yield match.span()


@dataclass(frozen=True, slots=True)
class _Roles:
    """The phrases that a sentence puts in each role around one word of the predicate."""

    agents: Sequence[NounPhrase] = ()
    patients: Sequence[NounPhrase] = ()
    circumstances: Sequence[Complement] = ()
    bearers: Sequence[NounPhrase] = ()
    owners: Sequence[NounPhrase] = ()
    owns_topic: bool = False


class _StatementReader:
    """Reads one sentence for one claim."""

    def __init__(
        self, sentence: Sentence, subject: _End, object_: _End, sense: PredicateSense
    ) -> None:
        self._text = sentence.text
        self._subject = subject
        self._object = object_
        self._sense = sense
        self._grammar = SentenceGrammar(sentence.text, (*subject.spans, *object_.spans))
        self._places = {
            end: [self._grammar.tokens_in(*span) for span in end.spans]
            for end in (subject, object_)
        }

    def is_stated(self) -> bool:
        if self._subject.is_value and not self._object.is_value:
            return False
        if self._is_life_date():
            return True
        if self._sense.is_placing and self._is_placed():
            return True
        if not self._sense.groups:
            return self._is_plain_link()
        if self._sense.is_attribute and self._is_attribute():
            return True
        present = {self._group_at(place) for place in range(len(self._grammar.tokens))}
        if not self._sense.groups <= present:
            return False
        return any(
            self._binds(place) and not self._is_denied(place) for place in self._triggers()
        )

    def _triggers(self) -> Iterator[int]:
        taken = {
            place for ranges in self._places.values() for places in ranges for place in places
        }
        for place in range(len(self._grammar.tokens)):
            if place not in taken and self._group_at(place) in self._sense.groups:
                yield place

    def _group_at(self, place: int) -> str:
        return word_group(self._grammar.low(place))

    def _binds(self, place: int) -> bool:
        """Return whether the claim's ends stand in their roles around a word of its predicate."""
        if self._grammar.is_verb(place) or self._grammar.low(place).endswith("ing"):
            return self._fits_verb(self._verb_roles(place))
        return self._fits_noun(place, self._noun_roles(place))

    def _verb_roles(self, verb: int) -> _Roles:
        grammar = self._grammar
        left = grammar.subjects(verb)
        behind = grammar.complements(verb)
        agents = [one.phrase for one in behind if one.preposition == "by"]
        direct = [one.phrase for one in behind if not one.preposition]
        others = [one for one in behind if one.preposition not in {"", "by"}]
        is_passive = grammar.has_passive_helper(verb) or grammar.low(verb + 1) == "by"
        if is_passive:
            return _Roles(agents, left, others or behind)
        if direct:
            nested = [one for one in others if one.preposition == "of"]
            return _Roles(left, [*direct, *(one.phrase for one in nested)], others)
        return _Roles(left, left, others)

    def _fits_verb(self, roles: _Roles) -> bool:
        sense = self._sense
        if sense.is_mutual:
            around = [*roles.patients, *(one.phrase for one in roles.circumstances)]
            return self._one_each(roles.agents or roles.patients, around)
        if sense.is_noun and not acts(sense.noun):
            return self._has(roles.patients, self._subject) and self._in_circumstance(roles)
        by_role: dict[Role, Sequence[NounPhrase]] = {
            "agent": roles.agents,
            "bearer": roles.agents,
            "patient": roles.patients,
            "owner": roles.patients,
        }
        if sense.object == "circumstance":
            acting = roles.agents if self._tells_of(roles.patients) else ()
            has_subject = self._has([*roles.patients, *acting], self._subject)
            return has_subject and self._in_circumstance(roles)
        return self._has(by_role[sense.subject], self._subject) and self._has(
            by_role[sense.object], self._object
        )

    def _tells_of(self, phrases: Sequence[NounPhrase]) -> bool:
        """Return whether the claim's predicate names one of the phrases ("won the cup in")."""
        heads = {self._group_at(place) for one in phrases for place in range(one.start, one.head_end)}
        return bool(heads & self._sense.groups)

    def _in_circumstance(self, roles: _Roles) -> bool:
        wanted = self._sense.preposition
        for one in roles.circumstances:
            fits = one.preposition == wanted or self._object.is_value
            fits = fits or {one.preposition, wanted or "in"} <= _PLACE_WORDS
            if fits and self._is(one.phrase, self._object):
                return not self._object.is_value or self._is_first_value(roles)
        return False

    def _is_first_value(self, roles: _Roles) -> bool:
        """Return whether no other date or number stands nearer to the verb."""
        values = [
            one.phrase
            for one in roles.circumstances
            if self._grammar.low(one.phrase.head_end - 1)[:1].isdigit()
        ]
        return not values or self._is(values[0], self._object)

    def _noun_roles(self, noun: int) -> _Roles:
        grammar = self._grammar
        behind = grammar.complements(noun)
        owners = list(grammar.owner_before(noun))
        owners += [one.phrase for one in behind if one.preposition in {"of", "for", "at", "to"}]
        start = grammar.phrase_start(noun)
        before = grammar.low(start - 1)
        bearers: list[NounPhrase] = []
        if grammar.is_name(noun + 1):
            bearers += [one.phrase for one in behind[:1]]
        elif grammar.low(noun + 1) == "," and grammar.is_name(noun + 2):
            bearers += [one.phrase for one in behind if not one.preposition][:1]
        if before == "by":
            owners += grammar.phrase_ending_at(start - 2)
        if before in {",", "("}:
            bearers += grammar.phrase_ending_at(start - 2)
        elif before == "as" or before in BE or grammar.is_verb(start - 1):
            verb = start - 2 if before == "as" else start - 1
            bearers += grammar.subjects(verb)
        bearers += self._bearers_behind(noun)
        if grammar.low(noun + 1) == ":" and noun < 3:
            bearers += [one.phrase for one in grammar.complements(noun + 1)]
            return _Roles(bearers=bearers, owners=owners, owns_topic=True)
        is_bare = not owners and (start == 0 or grammar.low(start) == "the")
        return _Roles(bearers=bearers, owners=owners, owns_topic=is_bare)

    def _bearers_behind(self, noun: int) -> list[NounPhrase]:
        """Return what the noun's phrase is said to be: "the director of the mill is Anna Lee"."""
        grammar = self._grammar
        found: list[NounPhrase] = []
        for place in range(noun + 1, len(grammar.tokens)):
            if grammar.low(place) in BE and grammar.low(place) != "'s":
                if any(one.start <= noun < one.head_end for one in grammar.subjects(place)):
                    direct = [one for one in grammar.complements(place) if not one.preposition]
                    found += [one.phrase for one in direct]
                break
        return found

    def _fits_noun(self, place: int, roles: _Roles) -> bool:
        sense = self._sense
        if sense.is_mutual:
            return self._one_each(roles.bearers, roles.owners)
        subject_role, object_role = sense.subject, sense.object
        if not sense.is_noun:
            if sense.object == "circumstance":
                return False
            acting: dict[Role, Role] = {"agent": "bearer", "patient": "owner"}
            subject_role, object_role = acting[subject_role], acting[object_role]
        elif not self._same_kin(place):
            return False
        if sense.is_noun and self._is_other_side(place):
            subject_role, object_role = object_role, subject_role
        subject = roles.bearers if subject_role == "bearer" else roles.owners
        object_ = roles.bearers if object_role == "bearer" else roles.owners
        owner = self._subject if subject_role == "owner" else self._object
        if roles.owns_topic and owner.is_topic:
            bearer = self._object if owner is self._subject else self._subject
            return self._has(roles.bearers, bearer)
        return self._has(subject, self._subject) and self._has(object_, self._object)

    def _same_kin(self, place: int) -> bool:
        """Return whether a word of descent can be the claimed one: a mother is no father."""
        told, sex = kinship(self._grammar.low(place))
        claimed, claimed_sex = kinship(self._sense.noun)
        if not told or told != claimed:
            return True
        return not sex or not claimed_sex or sex == claimed_sex

    def _is_other_side(self, place: int) -> bool:
        """Return whether the sentence says "son" where the claim says "father", or the reverse."""
        told, _ = kinship(self._grammar.low(place))
        claimed, _ = kinship(self._sense.noun)
        return bool(told and claimed) and told != claimed

    def _one_each(self, left: Sequence[NounPhrase], right: Sequence[NounPhrase]) -> bool:
        one = self._has(left, self._subject) and self._has(right, self._object)
        return one or (self._has(left, self._object) and self._has(right, self._subject))

    def _has(self, phrases: Iterable[NounPhrase], end: _End) -> bool:
        return any(self._is(phrase, end) for phrase in phrases)

    def _is(self, phrase: NounPhrase, end: _End) -> bool:
        """Return whether a phrase stands for an end: spelled in its head, or by a pronoun."""
        head = range(phrase.start, phrase.head_end)
        for places in self._places[end]:
            if places and places.stop == head.stop and places.start in head:
                return True
            if places and head.stop < places.stop <= phrase.end:
                groups = {self._group_at(place) for place in head}
                if groups & self._sense.groups:
                    return True
        is_named = any(self._grammar.is_name(place) for place in head)
        return end.is_implied and not is_named and self._grammar.is_pronoun(phrase)

    def _is_life_date(self) -> bool:
        """Return whether brackets behind the subject's name tell its birth or death."""
        born, died = word_groups("born"), word_groups("died")
        if self._sense.groups not in (born, died):
            return False
        for bracket in _LIFE.finditer(self._text):
            if not self._follows_subject(bracket.start()):
                continue
            inside = re.split(r"\s*[–—-]\s*(?=\D*\d|present)", bracket.group(1), maxsplit=1)
            is_death = re.match(r"\s*(?:died|d\.)", inside[0]) is not None
            birth = "" if is_death else inside[0]
            death = inside[0] if is_death else "".join(inside[1:])
            part = birth if self._sense.groups == born else death
            if any(True for _ in _spans(part, self._object.name)):
                return True
        return False

    def _follows_subject(self, bracket: int) -> bool:
        before = self._text[:bracket].rstrip()
        spelled = any(len(before) == end for _, end in self._subject.spans)
        return spelled or (self._subject.is_topic and len(before.split()) <= 8)

    def _is_attribute(self) -> bool:
        """Return whether the object says what the subject is: "Anna is a Norwegian brewer"."""
        grammar = self._grammar
        for place in range(len(grammar.tokens)):
            if grammar.low(place) not in BE or not grammar.is_verb(place):
                continue
            if self._is_denied(place) or not self._has(grammar.subjects(place), self._subject):
                continue
            end = place + 1
            while grammar.low(end) and not (
                grammar.low(end) in {"by", "in", "from", "who", "which", "that", ";", "."}
                or grammar.is_verb(end)
            ):
                end += 1
            if any(place < at.start < end for at in self._places[self._object]):
                return True
        return any(
            at.stop == subject.start or {"and", "former"} >= {grammar.low(at.stop)}
            and at.stop + 2 == subject.start
            for at in self._places[self._object]
            for subject in self._places[self._subject]
        )

    def _is_plain_link(self) -> bool:
        """Return whether a form of "be" or "have", or a preposition, joins the ends."""
        wanted = self._sense.preposition
        if self._sense.is_having:
            return any(
                self._fits_verb(self._verb_roles(place)) and not self._is_denied(place)
                for place in range(len(self._grammar.tokens))
                if self._grammar.low(place) in {"has", "have", "had"}
            )
        if wanted and self._is_next({wanted}):
            return True
        return any(self._links(place, {wanted}) for place in self._copulas())

    def _is_placed(self) -> bool:
        """Return whether the sentence puts the subject in, at or near the object."""
        if self._is_next(_PLACE_WORDS | {","}):
            return True
        return any(self._links(place, _PLACE_WORDS) for place in self._copulas())

    def _copulas(self) -> Iterator[int]:
        for place in range(len(self._grammar.tokens)):
            if self._grammar.low(place) in BE and self._grammar.is_verb(place):
                yield place

    def _links(self, verb: int, prepositions: frozenset[str] | set[str]) -> bool:
        """Return whether a form of "be" has the ends around it, the object behind a preposition."""
        behind = [
            one.phrase
            for one in self._grammar.complements(verb)
            if one.preposition in prepositions
        ]
        return (
            self._has(self._grammar.subjects(verb), self._subject)
            and self._has(behind, self._object)
            and not self._is_denied(verb)
        )

    def _is_next(self, links: frozenset[str] | set[str]) -> bool:
        """Return whether the object follows the subject behind one word ("Halden in Norway")."""
        for subject in self._places[self._subject]:
            for object_ in self._places[self._object]:
                between = [
                    self._grammar.low(place) for place in range(subject.stop, object_.start)
                ]
                if between and between[0] in links and set(between[1:]) <= {"the"}:
                    return True
        return False

    def _is_denied(self, place: int) -> bool:
        """Return whether a word of denial or doubt stands in the clause of a word."""
        grammar = self._grammar
        start = place
        while start > 0 and grammar.low(start - 1) not in {";", ":", "but", "while", "whereas"}:
            start -= 1
        end = place + 1
        while grammar.low(end) and not grammar.low(end) in {";", ":", "but", "while", ",", "and"}:
            end += 1
        return any(grammar.low(at) in _DENIALS for at in range(start, end))
