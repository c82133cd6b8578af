"""Whether the ends of a claim stand in their roles around a word of its predicate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.sentence_grammar import (
    BE,
    BRACKETED_YEAR,
    Complement,
    NounPhrase,
    SentenceGrammar,
)
from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.agents.verification.claim_ends import EndInSentence, spans_of
from hoptrail.agents.verification.predicate_sense import PredicateSense, Role, acts, kinship

_SONGS = frozenset("song single album ep record mixtape track soundtrack".split())
_WRITINGS = frozenset(
    "novel book poem play story novella essay memoir autobiography tale work".split()
)
_COMPOSITIONS = frozenset(
    "opera symphony ballet cantata concerto composition musical sonata hymn music work".split()
)
_ARTWORKS = frozenset(
    "painting sculpture statue fresco engraving drawing comic print mural work".split()
)
_WORKS_BY_MAKER = {
    "performer": _SONGS, "singer": _SONGS, "author": _WRITINGS, "writer": _WRITINGS,
    "director": frozenset("film movie picture documentary short".split()),
    "composer": _COMPOSITIONS, "creator": _ARTWORKS | _WRITINGS, "painter": _ARTWORKS,
    "developer": frozenset("game".split()), "designer": frozenset("game building".split()),
}  # fmt: skip
_OF_PERSONS = frozenset("he him his".split())
_OF_SPEAKER = frozenset("i me my".split())
# Verbs by which one comes to be what the noun behind them says.
_BECOMING = frozenset("became become becomes remained elected appointed named made".split())
_LONGEST_NAME_WORDS = 8
# Verbs for what players do.
_PLAYING = word_groups("played portrayed voiced starred")
_PART_ENDS = frozenset("as and or with , ; . ( )".split())
_INSIDE = frozenset("in at on within along".split())
# Words behind which another statement begins.
_APART = frozenset("who which that whose where when while but ; : by near".split())
# Verbs whose place or time is the doer's own: "he studied physics at Ribe".
DOINGS = word_groups("studied taught played served worked performed sang lived competed")
_PLACING_GROUPS = word_groups("located situated lies sits stands based")
_PLACE_WORDS = frozenset("in at near on from to of within along".split())


@dataclass(frozen=True, slots=True)
class _Roles:
    """The phrases that a sentence puts in each role around one word of the predicate."""

    agents: Sequence[NounPhrase] = ()
    patients: Sequence[NounPhrase] = ()
    circumstances: Sequence[Complement] = ()
    bearers: Sequence[NounPhrase] = ()
    owners: Sequence[NounPhrase] = ()
    owns_topic: bool = False


class RoleReader:
    """Reads one sentence for one sense of a claim's predicate.

    Args:
        text: The sentence.
        grammar: The sentence's grammar, the claim's ends read as names.
        subject: Where the sentence has the claim's subject.
        object_: Where it has the claim's object.
        sense: A sense of the predicate.
        topic: Word groups of the passage's title.
    """

    def __init__(
        self,
        text: str,
        grammar: SentenceGrammar,
        subject: EndInSentence,
        object_: EndInSentence,
        sense: PredicateSense,
        topic: frozenset[str] = frozenset(),
    ) -> None:
        self._topic = topic
        self._text = text
        self._subject = subject
        self._object = object_
        self._sense = sense
        self._grammar = grammar
        self._places = {
            end: [grammar.tokens_in(*span) for span in end.spans] for end in (subject, object_)
        }

    def is_stated(self) -> bool:
        """Return whether the sentence says the predicate of the ends, and does not deny it."""
        if self._is_life_date():
            return not self._sense.is_doubtful
        if not all(map(self._is_end_asserted, (self._subject, self._object))):
            return False
        if self._is_apposition() or self._is_cast():
            return True
        return self._has_predicate() and any(
            self._is_asserted(place) and self._is_proven(place) for place in self._triggers()
        )

    def _has_predicate(self) -> bool:
        """Return whether the sentence has all words of the predicate."""
        groups = self._sense.groups
        if self._sense.kind in {"placing", "attribute"} or self._sense.noun in _WORKS_BY_MAKER:
            return True
        return groups <= word_groups(self._text)

    def _triggers(self) -> list[int]:
        """Return the words of the sentence that may carry the predicate."""
        taken = {place for ranges in self._places.values() for places in ranges for place in places}
        free = [place for place in range(len(self._grammar.tokens)) if place not in taken]
        return [place for place in free if self._may_carry(place)]

    def _may_carry(self, place: int) -> bool:
        works = _WORKS_BY_MAKER.get(self._sense.noun, frozenset())
        token = self._grammar.low(place)
        return token in works or token in self._sense.wording[:1] or self._is_of_kind(place)

    def _is_of_kind(self, place: int) -> bool:
        """Return whether a word is of the kind that carries the sense."""
        token, kind = self._grammar.low(place), self._sense.kind
        if kind == "having":
            return token in {"has", "have", "had", "with"}
        is_copula = token in BE and self._grammar.is_verb(place)
        if kind == "placing":
            return is_copula or token in _PLACE_WORDS or self._group_at(place) in _PLACING_GROUPS
        if kind == "link":
            return is_copula or (bool(token) and token == self._sense.preposition)
        return self._group_at(place) == self._sense.head or kind == "attribute" and is_copula

    def _is_proven(self, place: int) -> bool:
        """Return whether the ends surely stand in their roles around a word."""
        by_kind = self._is_of_kind(place) and self._is_proven_by_kind(place)
        as_worded = self._is_verbatim(place) or self._is_spread(place) or self._is_run_on(place)
        return by_kind or as_worded or self._is_by(place)

    def _is_proven_by_kind(self, place: int) -> bool:
        kind = self._sense.kind
        if kind == "placing":
            return self._is_placed(place)
        if kind == "attribute" and self._is_attribute(place):
            return True
        if kind == "having":
            return self._grammar.is_verb(place) and self._fits_verb(self._verb_roles(place))
        if kind == "link":
            return self._is_linked(place)
        return self._binds(place)

    def _is_run_on(self, place: int) -> bool:
        """Return whether subject, noun and object stand one behind the other.

        "Maroon 5 lead singer Adam Levine".
        """
        start = self._grammar.phrase_start(place)
        return (
            any(
                subject.start <= start < subject.stop and object_.start == place + 1
                for subject in self._places[self._subject]
                for object_ in self._places[self._object]
                if subject and object_
            )
            and self._group_at(place) == self._sense.head
        )

    def _is_verbatim(self, place: int) -> bool:
        """Return whether the predicate's words stand here as they are, the ends around them."""
        grammar = self._grammar
        if not self._sense.wording or grammar.low(place) not in self._sense.wording:
            return False
        start = place - self._sense.wording.index(grammar.low(place))
        run = range(start, start + len(self._sense.wording))
        if tuple(grammar.low(at) for at in run) != self._sense.wording:
            return False
        # "The botanist Mirela Castane and the" is no predicate.
        if not grammar.is_verb(start) and any(grammar.is_name(at) for at in run):
            return False
        return self._leads_to(start) and self._has(grammar.next_phrases(run[-1]), self._object)

    def _is_spread(self, place: int) -> bool:
        """Return whether the predicate stands here but for its preposition, which comes later."""
        wording, grammar = self._sense.wording[:-1], self._grammar
        if not self._sense.preposition or grammar.low(place) != next(iter(wording), ""):
            return False
        last = place + len(wording) - 1
        if tuple(grammar.low(at) for at in range(place, last + 1)) != wording:
            return False
        behind = [
            one for one in grammar.complements(last) if one.preposition == self._sense.preposition
        ]
        is_told = self._leads_to(place) and self._has((one.phrase for one in behind), self._object)
        return is_told and (
            not self._object.is_value or self._is_first_value(_Roles(circumstances=behind))
        )

    def _leads_to(self, start: int) -> bool:
        """Return whether the subject stands right before a word, or is the subject of its verb."""
        grammar = self._grammar
        if grammar.is_verb(start):
            return self._has(grammar.subjects(start), self._subject)
        if grammar.low(start - 1) == "with":  # "X is an opera with music by"
            return self._has(grammar.phrase_ending_at(start - 2), self._subject)
        return self._has(grammar.phrase_ending_at(start - 1), self._subject)

    def _is_by(self, place: int) -> bool:
        """Return whether the subject is said to be a work by the object: "a novel by Anna Lee"."""
        grammar = self._grammar
        works = _WORKS_BY_MAKER.get(self._sense.noun)
        if works is None or grammar.low(place) not in works:
            return False
        at = place + 1
        while grammar.low(at) and grammar.low(at) != "by" and at < place + 5:
            at += 1
        makers = grammar.next_phrases(at) if grammar.low(at) == "by" else []
        return self._has(makers, self._object) and self._has(
            grammar.phrases_told_by(place), self._subject
        )

    def _is_passive_at(self, place: int) -> bool:
        """Return whether a word is a passive verb: "was founded", "founded by"."""
        last = self._grammar.last_coordinated(place)
        return self._grammar.has_passive_helper(place) or self._grammar.low(last + 1) == "by"

    def _has(self, phrases: Iterable[NounPhrase], end: EndInSentence) -> bool:
        """Return whether one of the phrases stands for an end."""
        return any(self._is(phrase, end) for phrase in phrases)

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
        if self._is_passive_at(verb) or (agents and not direct):
            return _Roles(agents, left, others or behind)
        if direct:
            nested = [one.phrase for one in others if one.preposition == "of"]
            tells = self._tells_of(direct)
            return _Roles(left, [*direct, *(nested if tells else ())], others)
        return _Roles(left, left, others)

    def _fits_verb(self, roles: _Roles) -> bool:
        sense = self._sense
        if sense.is_mutual:
            # "Married to the brother of Bo" is of the brother.
            beside = (one.phrase for one in roles.circumstances if one.preposition != "of")
            around = [*roles.patients, *beside]
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
            tells = self._sense.head in DOINGS or self._tells_of(roles.patients)
            acting = roles.agents if tells else ()
            has_subject = self._has([*roles.patients, *acting], self._subject)
            return has_subject and self._in_circumstance(roles)
        return self._has(by_role[sense.subject], self._subject) and self._has(
            by_role[sense.object], self._object
        )

    def _tells_of(self, phrases: Sequence[NounPhrase]) -> bool:
        """Return whether the claim's predicate names one of the phrases ("won the cup in")."""
        heads = {
            self._group_at(place) for one in phrases for place in range(one.start, one.head_end)
        }
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
        if owners and grammar.low(owners[0].start - 1) == "and":  # "Ann Holt and her son"
            owners += grammar.phrase_ending_at(owners[0].start - 2)[:1]
        owners += [one.phrase for one in behind if one.preposition in {"of", "for", "at", "to"}]
        start = grammar.phrase_start(noun)
        before = grammar.low(start - 1)
        bearers: list[NounPhrase] = []
        if grammar.is_name(noun + 1):
            bearers += [one.phrase for one in behind[:1]]
        elif grammar.low(noun + 1) == "," and grammar.is_name(noun + 2):
            bearers += [one.phrase for one in behind if not one.preposition][:1]
        elif grammar.low(noun + 1) == "," and grammar.low(noun + 2) == "the":
            bearers += self._named_behind(noun + 1)
        elif start == 0 and grammar.low(start) in {"a", "an"}:
            bearers += self._opened_for(noun)
        if before in {"has", "have", "had"}:
            possessed = [one.phrase for one in behind if one.preposition in {"", "of"}]
            return _Roles(bearers=possessed, owners=grammar.subjects(start - 1))
        if before == "by":
            owners += grammar.phrase_ending_at(start - 2)
        if before in {",", "("}:
            bearers += grammar.named_beside(start - 2) or grammar.phrase_ending_at(start - 2)
        elif before == "as" or before in BE or before in _BECOMING:
            verb = start - 2 if before == "as" else start - 1
            bearers += grammar.subjects(verb)
        elif before == "and":
            bearers += self._also_said_of(start - 1)
        bearers += self._bearers_behind(noun)
        if grammar.low(noun + 1) == ":" and noun < 3:
            bearers += [one.phrase for one in grammar.complements(noun + 1)]
            return _Roles(bearers=bearers, owners=owners, owns_topic=True)
        is_bare = not owners and (start == 0 or grammar.low(start) == "the" and before != "to")
        return _Roles(bearers=bearers, owners=owners, owns_topic=is_bare)

    def _also_said_of(self, joiner: int) -> list[NounPhrase]:
        """Return whom a second definition is of: "Ann Holt is a lawyer and the head of ..."."""
        grammar = self._grammar
        for place in range(joiner - 1, -1, -1):
            if grammar.is_verb(place) or grammar.low(place) in {"who", "which", "that"}:
                return grammar.subjects(place) if grammar.low(place) in BE else []
        return []

    def _named_behind(self, comma: int) -> list[NounPhrase]:
        """Return the name that a phrase of common words leads to: ", the sculptor Paul Holt"."""
        phrases = self._grammar.next_phrases(comma)[:2]
        is_one = len(phrases) == 2 and phrases[0].end == phrases[1].start
        return phrases[1:] if is_one and self._grammar.is_name(phrases[1].start) else []

    def _opened_for(self, noun: int) -> list[NounPhrase]:
        """Return whom a sentence's opening phrase describes: "A native of Alding, she ..."."""
        grammar = self._grammar
        for place in range(noun + 1, len(grammar.tokens)):
            if grammar.low(place) == ",":
                return grammar.next_phrases(place)[:1]
            if grammar.is_verb(place):
                break
        return []

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
            if sense.object == "circumstance" or not acts(self._grammar.low(place)):
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

    def _is(self, phrase: NounPhrase, end: EndInSentence) -> bool:
        """Return whether a phrase stands for an end: spelled in its head, or by a pronoun."""
        head = range(phrase.start, phrase.head_end)
        for places in self._places[end]:
            if not end.is_value and self._is_cut(places):
                continue
            if places and places.stop == head.stop and places.start in head:
                return True
            if places and head.stop < places.stop <= phrase.end:
                groups = {self._group_at(place) for place in head}
                if groups & self._sense.groups:
                    return True
        if self._grammar.low(head.start) in _OF_SPEAKER:
            return end.is_speaker
        is_named = any(self._grammar.is_name(place) for place in head)
        if not end.is_implied or is_named or not self._grammar.is_pronoun(phrase):
            return False
        noun = self._grammar.low(phrase.head_end - 1)
        if noun in _OF_PERSONS and end.is_thing:
            return False
        return phrase.head_end - phrase.start == 1 or end.may_be(noun)

    def _is_cut(self, places: range) -> bool:
        """Return whether the tokens are no whole name: "Buyende" in "Buyende District"."""
        others = (at for spans in self._places.values() for at in spans)
        if any(at.start == places.stop for at in others) or not self._grammar.is_name(places.stop):
            return False
        token = self._grammar.tokens[places.stop]
        return (
            token.text[0].isupper() and token.start == self._grammar.tokens[places.stop - 1].end + 1
        )

    def _is_life_date(self) -> bool:
        """Return whether brackets behind the subject's name tell its birth or death."""
        born, died = word_groups("born"), word_groups("died")
        if self._sense.groups not in (born, died):
            return False
        for bracket in BRACKETED_YEAR.finditer(self._text):
            if not self._follows_subject(bracket.start()):
                continue
            inside = re.split(r"\s*[–—-]\s*(?=\D*\d|present)", bracket.group(1), maxsplit=1)
            is_death = re.match(r"\s*(?:died|d\.)", inside[0]) is not None
            birth = "" if is_death else inside[0]
            death = inside[0] if is_death else "".join(inside[1:])
            part = birth if self._sense.groups == born else death
            if any(True for _ in spans_of(self._object.name, part)):
                return True
        return False

    def _follows_subject(self, bracket: int) -> bool:
        before = self._text[:bracket].rstrip()
        spelled = any(len(before) == end for _, end in self._subject.spans)
        shares_word = bool(word_groups(before) & word_groups(self._subject.name))
        is_short = len(before.split()) <= _LONGEST_NAME_WORDS
        return spelled or (self._subject.is_topic and shares_word and is_short)

    def _is_attribute(self, verb: int) -> bool:
        """Return whether the object says what the subject is: "Anna is a Norwegian brewer"."""
        grammar = self._grammar
        if grammar.low(verb) not in BE:
            return False
        if not self._has(grammar.subjects(verb), self._subject):
            return False
        if self._object.is_value:  # "is a 1998 film" dates it
            return any(at and at.start == verb + 2 for at in self._places[self._object])
        end = verb + 1
        while grammar.low(end) and not (
            grammar.low(end) in {"by", "in", "from", "who", "which", "that", ";", "."}
            or grammar.is_verb(end)
        ):
            end += 1
        return any(verb < at.start < end for at in self._places[self._object])

    def _is_linked(self, place: int) -> bool:
        """Return whether a form of "be" or a preposition joins the ends."""
        wanted = self._sense.preposition
        if self._grammar.low(place) in BE:
            return self._links(place, {wanted}) or (not wanted and self._is_defined(place))
        return bool(wanted) and self._is_next({wanted})

    def _is_defined(self, verb: int) -> bool:
        """Return whether the object stands behind "be" at once, whole: "was a clerk of Alding"."""
        grammar = self._grammar
        ends = [at.stop for at in self._places[self._object] if at and at.start == verb + 1]
        is_whole = any(not (grammar.is_name(at) or grammar.low(at) == "'s") for at in ends)
        return is_whole and self._has(grammar.subjects(verb), self._subject)

    def _is_apposition(self) -> bool:
        """Return whether the object is set beside the subject: "Ann Holt, a clerk of Alding,"."""
        if self._sense.kind != "link" or self._sense.preposition or self._sense.is_doubtful:
            return False
        grammar = self._grammar
        return any(
            grammar.low(subject.stop) == ","
            and subject.stop + 1 == object_.start
            and grammar.low(object_.start) in {"a", "an", "the"}
            and grammar.low(object_.stop) in {",", ".", ";"}
            and self._is_asserted(subject.stop)
            for subject in self._places[self._subject]
            for object_ in self._places[self._object]
            if subject and object_
        )

    def _is_cast(self) -> bool:
        """Return whether the sentence gives a player a part: "Ann Lee as Zoe", "Zoe (Ann Lee)".

        Which film is meant may stand in the passage's title alone.
        """
        sense = self._sense
        more = sense.groups - _PLAYING - self._topic
        is_playing = sense.kind == "verb" and sense.head in _PLAYING and not sense.is_doubtful
        if not is_playing or not more <= word_groups(self._text):
            return False
        player, part = self._subject, self._object
        if sense.object == "agent":
            player, part = part, player
        parts = [at for at in self._places[part] if at and self._is_asserted(at.start)]
        players = [at for at in self._places[player] if at]
        return any(
            self._is_bracketed(at, one) or self._gives_part(one, at)
            for at in parts
            for one in players
        ) or any(self._leads(player) and self._is_role(at.start) for at in parts)

    def _is_bracketed(self, before: range, inside: range) -> bool:
        low = self._grammar.low
        return low(before.stop) == "(" == low(inside.start - 1) and low(inside.stop) == ")"

    def _gives_part(self, player: range, part: range) -> bool:
        """Return whether "as" alone, with a title at most, stands between a player and a part."""
        between = [self._grammar.low(at) for at in range(player.stop, part.start)]
        return between[:1] == ["as"] and len(between) <= 4 and not _PART_ENDS & set(between[1:])

    def _is_role(self, start: int) -> bool:
        """Return whether "role as" or "part of" leads to a word."""
        low = self._grammar.low
        start -= low(start - 1) == "the"
        return low(start - 1) in {"as", "of"} and low(start - 2) in {"role", "part"}

    def _leads(self, end: EndInSentence) -> bool:
        """Return whether the sentence is about an end alone: it begins with it, and tells no more.

        "She married Bo Lee, who is known for his role as" is about two.
        """
        grammar = self._grammar
        places = self._places[end]
        is_first = any(at and at.start == 0 for at in places)
        is_first = is_first or (not places and end.is_implied and grammar.low(0) in {"he", "she"})
        return is_first and not any(
            grammar.low(at) in {"who", "whose", "with"} for at in range(len(grammar.tokens))
        )

    def _is_placed(self, place: int) -> bool:
        """Return whether the sentence puts the subject in, at or near the object."""
        prepositions = _INSIDE | {self._sense.preposition}
        if self._is_next(prepositions | {","}) or self._is_placed_at_end(place):
            return True
        is_placing = self._group_at(place) in _PLACING_GROUPS or self._grammar.low(place) in BE
        return is_placing and self._grammar.is_verb(place) and self._links(place, prepositions)

    def _is_placed_at_end(self, participle: int) -> bool:
        """Return whether a definition of the topic ends by its place.

        "Tarn is a museum of art and design located in Alding": no other name stands between.
        """
        grammar = self._grammar
        if not self._subject.is_topic or self._group_at(participle) not in _PLACING_GROUPS:
            return False
        copula = next((at for at in range(participle) if grammar.low(at) in BE), participle)
        between = range(copula + 1, participle)
        return (
            grammar.low(copula + 1) in {"a", "an"}
            and self._has(grammar.subjects(copula), self._subject)
            and not any(grammar.is_verb(at) or grammar.low(at) in _APART for at in between)
            and self._has(grammar.next_phrases(participle + 1), self._object)
        )

    def _links(self, verb: int, prepositions: frozenset[str] | set[str]) -> bool:
        """Return whether a verb has the ends around it, the object behind a preposition."""
        behind = [
            one.phrase for one in self._grammar.complements(verb) if one.preposition in prepositions
        ]
        return self._has(self._grammar.subjects(verb), self._subject) and self._has(
            behind, self._object
        )

    def _is_next(self, links: frozenset[str] | set[str]) -> bool:
        """Return whether the object follows the subject behind one word ("Halden in Norway")."""
        for subject in self._places[self._subject]:
            for object_ in self._places[self._object]:
                between = [self._grammar.low(place) for place in range(subject.stop, object_.start)]
                if between and between[0] in links and set(between[1:]) <= {"the"}:
                    return True
        return False

    def _is_asserted(self, place: int) -> bool:
        """Return whether the sentence says what a word says as a fact; names say nothing."""
        token = self._grammar.tokens[place]
        return is_asserted(self._unnamed, token.start, token.end)

    def _is_end_asserted(self, end: EndInSentence) -> bool:
        """Return whether an end stands somewhere in what is said as a fact: "not to Tim Reed"."""
        return not end.spans or any(is_asserted(self._unnamed, *span) for span in end.spans)

    @cached_property
    def _unnamed(self) -> str:
        """The sentence with the claim's own words of doubt and its ends made unreadable.

        "The Never Land" denies nothing; and a claim that something is not so may be stated.
        """
        spans = [span for one in (self._subject, self._object) for span in one.spans]
        if self._sense.is_doubtful and self._sense.wording:
            wording = r"\W{0,3}".join(map(re.escape, self._sense.wording))
            spans += [match.span() for match in re.finditer(wording, self._text, re.IGNORECASE)]
        text = self._text
        for start, end in spans:
            text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
        return text
