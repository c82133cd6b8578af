"""Who does what in an English sentence: subjects, complements, owners and bearers.

A shallow reading by word order and function words, without a parser's model. It is made to be sure
rather than complete: where the order of the words leaves a doubt, nothing is returned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.agents.language.value_patterns import MONTHS

_TOKEN = re.compile(
    r"\d+(?:[.,]\d+)*(?:st|nd|rd|th)?\b|(?:[A-Z]\.)+|\w+(?:[-./]\w+)*|['’]s\b|n['’]t\b|\S"
)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:{MONTHS})"
    r"\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?\d{3,4}\b"
)
BRACKETED_YEAR = re.compile(r"\((?=[^()\d]*+(?:\d{1,2}(?!\d)[^()\d]*+)*\d{3})([^()]*+)\)")
"""Brackets with a number of three digits or more, as behind a name: "(12 May 1843 – 1901)"."""

BE = frozenset("is are was were be been being am 's".split())
_COPULAS = BE | frozenset("became becomes become remains remained remain".split())
HELPERS = BE | frozenset(
    """has have had having do does did will would shall should can could may might must to
    n't not also later then first now soon once again still already subsequently eventually
    originally formerly initially finally currently jointly""".split()
)
_PREPOSITIONS = frozenset(
    """of in on at by for from to with within near under into through over via per between among
    across along around after before during since until as about against toward towards upon
    behind beside without""".split()
)
_RELATIVES = frozenset("who which that whom whose where when".split())
_CONTRASTS = frozenset("while whereas but although though because if unless whether".split())
_SUBORDINATORS = frozenset("before after since until as".split())
_JOINERS = frozenset("and or but then & nor".split())
_PRONOUNS = frozenset("he she it they i we you him her them me".split())
_POSSESSIVES = frozenset("his her its their my".split())
_DETERMINERS = frozenset("a an the this that these those its his her their each every".split())
_CLOSERS = frozenset(". ; : ? !".split())
IRREGULAR_VERBS = frozenset(
    """became began born bought broke brought built came chose cut did drew drove fell felt
    fled flew broadcast fought found gave gone got grew had held hid hit kept knew laid
    lay led left lent let lost made meant met paid put ran rose said sang sat saw sent
    set shot sold spent spoke stood struck sung swore took taken taught thought threw
    overtook told understood went won wore written wrote given seen known shown driven drawn
    grown born lies runs owns""".split()
)
THIRD_PERSONS = frozenset(
    """owns flows runs lies makes wears stars plays features includes contains covers borders
    serves stands sits belongs lives works teaches writes sings leads directs produces publishes
    offers provides supplies maintains manages operates employs holds keeps gives takes gets
    becomes begins ends opens closes starts joins leaves meets marries follows precedes sells
    buys builds designs uses connects crosses drains empties rises extends stretches consists
    comprises represents hosts houses specializes specialises focuses appears performs portrays
    voices narrates tells describes refers means speaks believes claims states says shows
    occupies overlooks faces adjoins surrounds separates links reaches enters moves travels
    competes wins loses coaches chairs heads signs pays costs earns receives awards grants
    requires allows supports controls governs rules administers regulates protects celebrates
    marks commemorates bears carries weighs measures exceeds resides depends remains involves
    combines mixes explores examines discusses deals concerns details depicts""".split()
)
_BEFORE_AMOUNTS = frozenset("$ € £ ¥ about around almost nearly over under only us a an".split())
_NO_VERBS = frozenset(
    "hundred red bed need seed speed breed indeed shed sacred naked wicked embed led-light".split()
)
_NEVER_VERBS = HELPERS | _DETERMINERS | _PREPOSITIONS | _PRONOUNS | _JOINERS | {"all", "both"}
_QUOTES = frozenset("\" “ ” ‘ ’ ' `".split())
_HYPHENS = frozenset("- –".split())
_ADJECTIVAL = frozenset(
    """animated based retired related incorporated unincorporated limited united armed mixed noted
    renowned celebrated acclaimed dedicated extended combined advanced enclosed gated protected
    unmarried married listed ranked rated proposed planned selected accredited registered""".split()
)
_NAME_TAILS = frozenset("inc ltd co corp jr sr llc plc".split())
_PARENTHETICAL_OPENERS = (
    _RELATIVES
    | _DETERMINERS
    | frozenset(
        """son daughter born known based located then now formerly also together with including
        of in at from called named aged originally sometimes often nicknamed using""".split()
    )
)
# "The town of Halden" is Halden.
_KINDS = frozenset(
    """town city village state province county district island river lake republic kingdom region
    municipality parish borough suburb port company firm group band duchy commune hamlet""".split()
)
_SKIPPED = _JOINERS | HELPERS | _QUOTES | _HYPHENS
_LONGEST_PARENTHETICAL = 16
_LONGEST_REFERENCE = 4
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a sign; `low` is its lower-cased text."""

    text: str
    low: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Tokens `start` to `end`; its head ends at `head_end`, what follows is attached to the head.

    "The pumps of the station": the head is "The pumps".
    """

    start: int
    head_end: int
    end: int


@dataclass(frozen=True, slots=True)
class Complement:
    """A noun phrase behind a verb or noun, and the preposition that leads it, empty for none."""

    phrase: NounPhrase
    preposition: str


class SentenceGrammar:
    """The shallow grammar of one sentence.

    Args:
        text: The sentence.
        names: Character spans to read as one name each; further names are found by their capitals.
    """

    def __init__(self, text: str, names: Sequence[tuple[int, int]] = ()) -> None:
        self.text = text
        self.tokens = [
            Token(match.group(), match.group().lower(), match.start(), match.end())
            for match in _TOKEN.finditer(text)
        ]
        self._name_at = self._names(names)

    def tokens_in(self, start: int, end: int) -> range:
        """Return the places of the tokens between two offsets of the text."""
        inside = [
            place
            for place, token in enumerate(self.tokens)
            if token.start < end and start < token.end
        ]
        return range(inside[0], inside[-1] + 1) if inside else range(0)

    def low(self, place: int) -> str:
        """Return a token's lower-cased text, empty beyond either end."""
        return self.tokens[place].low if 0 <= place < len(self.tokens) else ""

    def is_name(self, place: int) -> bool:
        """Return whether a token is part of a name, a date or a number."""
        return place in self._name_at

    def is_verb(self, place: int) -> bool:
        """Return whether a token is surely used as a verb."""
        token = self.low(place)
        if not token or self.is_name(place) or not token[0].isalpha() or "-" in token:
            return False
        before = self.low(place - 1)
        if token in BE or token in _COPULAS or token in {"has", "have", "had", "did", "does"}:
            return True
        if token == "cost":  # "the cost of it" is none
            after = self.low(place + 1)
            return after[:1].isdigit() or after in _BEFORE_AMOUNTS or self.is_name(place + 1)
        if token in IRREGULAR_VERBS:
            return before not in _DETERMINERS
        if token in _ADJECTIVAL and self._is_noun_like(place + 1):
            return False
        if token.endswith("ed") and len(token) > 3 and token not in _NO_VERBS:
            is_adjective = before in _DETERMINERS or before in _PREPOSITIONS
            return not is_adjective or self.low(place + 1) in {"by", "in"}
        if before in {"shall", "will", "would", "must", "can", "could", "did", "does", "do", "to"}:
            return token not in _NEVER_VERBS
        if token in THIRD_PERSONS:
            is_relative = before == "that" and self._can_end_phrase(place - 2)
            is_noun = before in _DETERMINERS and not is_relative
            return not is_noun and before not in _PREPOSITIONS and before != "'s"
        if f"{token}s" in THIRD_PERSONS and self.low(place + 1) in _PREPOSITIONS:
            return self.is_name(place - 1) and self.low(place - 1).endswith("s")
        if token.endswith("s") and not token.endswith("ss"):
            opens = before in {"who", "which", "that", "he", "she", "it"} or self.is_name(place - 1)
            after = self.low(place + 1)
            leads = after in _DETERMINERS or after in _PREPOSITIONS or self.is_name(place + 1)
            return opens and leads
        return False

    def subjects(self, verb: int) -> list[NounPhrase]:
        """Return the noun phrases that a verb may have as its subject; several are coordinated."""
        is_reduced = self._is_reduced(verb)
        if is_reduced and verb == 0:
            return self._subjects_behind_clause(verb)
        nearest = self._left_of(verb - 1, is_reduced, 0)
        return [*nearest, *(self._subjects_of_copula(verb) if is_reduced else ())]

    def _subjects_behind_clause(self, participle: int) -> list[NounPhrase]:
        """Return what an opening participle tells of: "Built by her, the mill stands ..."."""
        for place in range(participle + 1, len(self.tokens)):
            if self.low(place) == ",":
                phrases = self.next_phrases(place)
                if any(self.is_verb(one.end) for one in phrases):
                    return phrases
        return []

    def _subjects_of_copula(self, participle: int) -> list[NounPhrase]:
        """Return what is said to be the thing that a participle tells of: "X is a firm based in".

        Nothing where another thing stands between: "X is the author of a book published in".
        """
        place = participle - 1
        is_apart = self.low(place) == ","
        while place > 0:
            token = self.low(place)
            if token in _COPULAS and self.is_verb(place):
                return self._left_of(place - 1, False, 1)
            is_place = token in {"in", "at", "on"}
            if token in _RELATIVES or token in _CLOSERS or token in _CONTRASTS:
                return []
            if token in _PREPOSITIONS and not is_place and not is_apart:
                return []
            place -= 1
        return []

    def _is_noun_like(self, place: int) -> bool:
        token = self.low(place)
        is_function = token in _PREPOSITIONS or token in _DETERMINERS or token in _JOINERS
        return token[:1].isalpha() and not is_function and not self.is_name(place)

    def is_modifier(self, start: int, end: int) -> bool:
        """Return whether a name, given by its offsets, only describes the noun behind it.

        "American" in "an American adult sitcom" is no thing that the sentence tells of. A word in
        "-s", "-ed", "-ing" or "-ly" may be a verb or an adverb, thus nothing is said of it.
        """
        place = self.tokens_in(start, end).stop
        after = self.low(place)
        is_plain = after.isalpha() and not after.endswith(("s", "ed", "ing", "ly"))
        return is_plain and self._is_noun_word(place) and after not in _DETERMINERS

    def has_passive_helper(self, verb: int) -> bool:
        """Return whether a form of "be" stands before a verb, adverbs not counted."""
        place = verb - 1
        while place >= 0 and (self.low(place) in HELPERS or self.low(place).endswith("ly")):
            if self.low(place) in BE:
                return not self.low(verb).endswith("ing")
            place -= 1
        return False

    def complements(self, place: int) -> list[Complement]:
        """Return the noun phrases behind a verb or noun up to the end of its clause."""
        found: list[Complement] = []
        preposition = ""
        at = self.last_coordinated(place) + 1
        while at < len(self.tokens):
            token = self.low(at)
            if self._ends_clause(at):
                break
            if token == "(":
                at = self._behind_bracket(at)
            elif token == "including" or (token == "such" and self.low(at + 1) == "as"):
                at += 1 + (token == "such")  # what is listed stands in the role of its kind
            elif token in _PREPOSITIONS:
                preposition = token
                at += 1
            elif token in {",", "'s", "’s"} or token in _SKIPPED:
                at += 1
            elif token.endswith("ly") and not self.is_name(at):
                at += 1
            else:
                end = self._phrase_end(at)
                if self.low(end) not in {"'s", "’s"}:
                    found.append(Complement(NounPhrase(at, end, end), preposition))
                at = end + (self.low(end - 1) in _KINDS and self.low(end) == "of")
        return found

    def next_phrases(self, place: int) -> list[NounPhrase]:
        """Return the phrase that follows a word at once, with those listed behind it."""
        found: list[NounPhrase] = []
        at = place + 1
        while at < len(self.tokens):
            token = self.low(at)
            if token in _QUOTES or token in _HYPHENS or token in {"and", "or", ","} and found:
                at += 1
            elif self.is_name(at) or self._is_noun_word(at):
                end = self._phrase_end(at)
                if self.low(end) not in {"'s", "’s"}:
                    found.append(NounPhrase(at, end, end))
                at = end + (self.low(end - 1) in _KINDS and self.low(end) == "of")
            elif token == "(":
                at = self._behind_bracket(at)
            else:
                break
        return found

    def phrases_told_by(self, noun: int) -> list[NounPhrase]:
        """Return what a noun is said of: "Blue Mill is a novel", "the novel Blue Mill"."""
        start = self.phrase_start(noun)
        if self.low(start - 1) in _COPULAS:
            return self.subjects(start - 1)
        if self.low(start - 1) == ",":
            return self.phrase_ending_at(start - 2)
        return []

    def last_coordinated(self, verb: int) -> int:
        """Return the last of verbs with the same complements: "written and directed by"."""
        if not self.is_verb(verb):
            return verb
        after = verb + 1
        while self.low(after) in _JOINERS or self.low(after) == ",":
            after += 1
        is_joined = after > verb + 1 and self.is_verb(after) and self.low(after) not in HELPERS
        return self.last_coordinated(after) if is_joined else verb

    def phrase_start(self, noun: int) -> int:
        """Return where the noun phrase that has a noun as its head begins."""
        place = noun
        while place > 0 and self._is_noun_word(place - 1):
            place -= 1
        return place

    def phrase_ending_at(self, place: int) -> list[NounPhrase]:
        """Return the noun phrases, coordinated ones each, whose last token stands at a place."""
        return self._phrases_at(place, 0)

    def named_beside(self, place: int) -> list[NounPhrase]:
        """Return the name that ends at a place, if what follows it tells of it and no other.

        "With the manager Paul Holt, who" tells of Holt, "the sister of Paul Holt, who" perhaps not.
        """
        if not self.is_name(place):
            return []
        start = self.phrase_start(self._name_at[place][0])
        before = self.low(start - 1)
        if before not in _PREPOSITIONS or before == "of":
            return []
        return [NounPhrase(start, place + 1, place + 1)]

    def owner_before(self, noun: int) -> list[NounPhrase]:
        """Return whose a noun is by a possessive before it ("Norway's capital", "his wife")."""
        place = noun - 1
        while place >= 0 and self._is_noun_word(place) and self.low(place) not in _POSSESSIVES:
            if self.low(place) in {"'s", "’s"}:
                break
            place -= 1
        if self.low(place) in _POSSESSIVES:
            return [NounPhrase(place, place + 1, place + 1)]
        if self.low(place) == "whose":
            return self._phrases_at(place - 1 - (self.low(place - 1) == ","), 0)[:1]
        if self.low(place) in {"'s", "’s"}:
            return self._phrases_at(place - 1, 0)[:1]
        return []

    def is_pronoun(self, phrase: NounPhrase) -> bool:
        """Return whether a phrase is a pronoun, or "the" or "this" with a noun."""
        first = self.low(phrase.start)
        if phrase.head_end - phrase.start == 1:
            return first in _PRONOUNS or first in _POSSESSIVES
        is_short = phrase.head_end - phrase.start <= _LONGEST_REFERENCE
        places = range(phrase.start, phrase.head_end)
        return first in {"the", "this"} and is_short and not any(map(self.is_name, places))

    def _names(self, given: Sequence[tuple[int, int]]) -> dict[int, tuple[int, int]]:
        """Return the token range of the name that each token belongs to."""
        spans = sorted(given, key=lambda span: span[0] - span[1])
        spans += [match.span() for match in _DATE.finditer(self.text)]
        at: dict[int, tuple[int, int]] = {}
        for start, end in spans:
            places = self.tokens_in(start, end)
            if places and not any(place in at for place in places):
                at.update(dict.fromkeys(places, (places.start, places.stop)))
        for start, end in capitalised_spans(self.text):
            if not self._is_opener((start, end)):
                self._add_free_parts(self.tokens_in(start, end), at)
        for place, token in enumerate(self.tokens):
            if place not in at and token.text[0].isdigit():
                at[place] = (place, place + 1)
        return at

    def _add_free_parts(self, places: range, at: dict[int, tuple[int, int]]) -> None:
        """Add what of a capitalised span no other name has, taken apart at "and"."""
        part: list[int] = []
        for place in (*places, places.stop):
            is_free = place in places and place not in at and self.low(place) not in _JOINERS
            if is_free:
                part.append(place)
            elif part:
                first = next((p for p in part if self.tokens[p].text[0].isupper()), part[-1])
                at.update(dict.fromkeys(range(first, part[-1] + 1), (first, part[-1] + 1)))
                part = []

    def _is_opener(self, span: tuple[int, int]) -> bool:
        word = self.text[slice(*span)].lower()
        if span[0] == 0 and (word in IRREGULAR_VERBS or word.endswith("ed")):
            return self.low(1) in _PREPOSITIONS  # "Built by her, the mill ..."
        return word in HELPERS or word in _JOINERS or word in _PREPOSITIONS or word == "neither"

    @cached_property
    def _verbs(self) -> list[int]:
        return [place for place in range(len(self.tokens)) if self.is_verb(place)]

    def _verb_before(self, place: int) -> int | None:
        return next((verb for verb in reversed(self._verbs) if verb < place), None)

    def _is_reduced(self, verb: int) -> bool:
        """Return whether a participle stands for a clause of its own: "the mill, built by her"."""
        has_helper = self.low(verb - 1) in HELPERS
        return not has_helper and self.low(self.last_coordinated(verb) + 1) in _PREPOSITIONS

    def _left_of(self, place: int, is_reduced: bool, depth: int) -> list[NounPhrase]:
        while place >= 0 and depth < _DEEPEST:
            token = self.low(place)
            if self.is_name(place) and token not in {"'s", "’s"}:
                return self._phrases_at(place, depth + 1)
            if token in _RELATIVES:
                place -= 1 + (self.low(place - 1) == ",")
                near = self.named_beside(place) if token in {"who", "which"} else []
                return near or self._phrases_at(place, depth + 1)
            if token == ")":
                place = self._before_bracket(place)
            elif token == "." and self.low(place - 1) in _NAME_TAILS:
                place -= 2 + (self.low(place - 2) == ",")
            elif token in _QUOTES or (token == "," and self.low(place - 1) == ")"):
                place -= 1
            elif token == "(":
                return self._phrases_at(place - 1, depth + 1)
            elif token in {",", "–", "—"}:
                if is_reduced:
                    near = self._phrases_at(place - 1, depth + 1)
                    if near and self.is_verb(near[0].start - 1):
                        return near
                    return [*near, *self._subjects_before(place, depth)]
                opening = self._parenthetical_start(place)
                if opening is None:
                    return self._subjects_before(place, depth)
                place = opening - 1
            elif token in _JOINERS:
                return self._subjects_before(place, depth)
            elif token in HELPERS or token.endswith("ly") or self.is_verb(place):
                place -= 1
            elif token in _PRONOUNS:
                return [NounPhrase(place, place + 1, place + 1)]
            elif token in _CLOSERS or token in _PREPOSITIONS or token in _CONTRASTS:
                return []
            else:
                return self._phrases_at(place, depth + 1)
        return []

    def _subjects_before(self, place: int, depth: int) -> list[NounPhrase]:
        """Return the subject that a verb shares with the one before it."""
        verb = self._verb_before(place)
        if verb is None:
            return []
        return self._left_of(verb - 1, self._is_reduced(verb), depth + 1)

    def _parenthetical_start(self, close: int) -> int | None:
        """Return the comma that opens the parenthetical which the comma at `close` ends."""
        sign = self.low(close)
        for place in range(close - 1, max(-1, close - _LONGEST_PARENTHETICAL), -1):
            if self.low(place) == sign:
                opens = self.low(place + 1) in _PARENTHETICAL_OPENERS or self.is_verb(place + 1)
                opens = opens or self.low(place + 2) == "of"
                return place if opens else None
        return None

    def _phrases_at(self, place: int, depth: int) -> list[NounPhrase]:
        """Return the phrase that ends at a place, those coordinated with it, or what it belongs to.

        The object of a preposition belongs to the noun before that: "the owner of the mill".
        """
        while self.low(place) in _QUOTES:
            place -= 1
        if place < 0 or depth > _DEEPEST:
            return []
        if self.low(place) == ")":
            return self._phrases_at(self._before_bracket(place), depth + 1)
        start = self._name_at[place][0] if self.is_name(place) else place
        head_end = place + 1
        while start > 0 and self._is_noun_word(start - 1):
            start = self._name_at[start - 1][0] if self.is_name(start - 1) else start - 1
        own = NounPhrase(start, head_end, head_end)
        before = self.low(start - 1)
        if before in _SUBORDINATORS and self.is_verb(place + 1):
            return [own]  # "before the band disbanded"
        if before in _PREPOSITIONS and start >= 2 and self._can_end_phrase(start - 2):
            owners = self._phrases_at(start - 2, depth + 1)
            nearest = [NounPhrase(one.start, one.head_end, place + 1) for one in owners[:1]]
            is_said_of = bool(owners) and self.low(owners[0].start - 1) in _COPULAS
            return [*nearest, *(owners[1:] if is_said_of else ())]
        if before in _PREPOSITIONS and self._is_participle(start - 2):
            return [own, *self._left_of(start - 3, True, depth + 1)]
        if before in {"and", "or", ",", "&"} and self._can_end_phrase(start - 2):
            if self.is_name(start - 2) and self.is_name(place):
                return [own, *self._phrases_at(start - 2, depth + 1)]
        if before in _COPULAS and not self.is_name(place):
            return [own, *self._left_of(start - 2, False, depth + 1)]
        if before == "," and self._is_set_beside(start):
            return [own, *self._phrases_at(start - 2, depth + 1)]
        return [own]

    def _is_set_beside(self, start: int) -> bool:
        """Return whether a phrase says what the subject before it is: "Tarn Mill, a mill"."""
        name = self._name_at.get(start - 2)
        return name is not None and name[0] <= 1 and self.low(start) in {"a", "an", "the"}

    def _is_participle(self, place: int) -> bool:
        """Return whether a verb stands for a clause of its own: "a firm based in Oslo"."""
        return self.is_verb(place) and self.low(place - 1) not in HELPERS | _RELATIVES

    def _can_end_phrase(self, place: int) -> bool:
        token = self.low(place)
        is_word = bool(token) and (token[0].isalnum() or token == ")")
        is_function = token in HELPERS or token in _PREPOSITIONS or token in _JOINERS
        return is_word and not is_function and not self.is_verb(place)

    def _is_noun_word(self, place: int) -> bool:
        """Return whether a token can stand inside a noun phrase, before its head."""
        token = self.low(place)
        if self.is_name(place) or token in _DETERMINERS or token in {"'s", "’s"}:
            return True
        if token in _HYPHENS:
            return self.low(place - 1).isalnum() and self.low(place + 1).isalnum()
        if not token or not token[0].isalpha() or token in _PRONOUNS:
            return False
        is_function = (
            token in HELPERS
            or token in _PREPOSITIONS
            or token in _JOINERS
            or token in _RELATIVES
            or token in _CONTRASTS
        )
        return not is_function and not self.is_verb(place)

    def _phrase_end(self, place: int) -> int:
        """Return where the noun phrase that begins at a place ends; a name ends one."""
        if self.is_name(place):
            return self._name_at[place][1]
        end = place + 1
        while end < len(self.tokens) and self._is_noun_word(end) and not self.is_name(end):
            end += 1
        return end

    def _ends_clause(self, place: int) -> bool:
        token = self.low(place)
        is_abbreviated = token == "." and self.low(place - 1) in _NAME_TAILS
        if token in _CLOSERS and not is_abbreviated and not (token == "." and self.is_name(place)):
            return True
        if token in _RELATIVES or token in _CONTRASTS:
            return True
        if token in {",", "–", "—"} or token in _JOINERS:
            return self._opens_clause(place + 1)
        return self.is_verb(place)

    def _opens_clause(self, place: int) -> bool:
        """Return whether a new clause or verb begins at a place, adverbs not counted."""
        while self.low(place) in HELPERS - BE or self.low(place).endswith("ly"):
            place += 1
        if self.low(place) in _JOINERS:
            return self._opens_clause(place + 1)
        if self.is_verb(place) or self.low(place) in _PRONOUNS or self.low(place) in _RELATIVES:
            return True
        end = place
        while end < len(self.tokens) and self._is_noun_word(end):
            end += 1
        return end > place and (self.is_verb(end) or self.low(end) in HELPERS)

    def _behind_bracket(self, place: int) -> int:
        for at in range(place + 1, len(self.tokens)):
            if self.low(at) == ")":
                return at + 1
        return len(self.tokens)

    def _before_bracket(self, place: int) -> int:
        for at in range(place - 1, -1, -1):
            if self.low(at) == "(":
                return at - 1
        return -1
