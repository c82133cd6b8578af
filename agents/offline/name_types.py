"""Guess the type of thing that a name stands for, by the evidence on it."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from hoptrail.agents.evidence.sentence_graph import SentenceGraph
from hoptrail.agents.language.answer_types import (
    AnswerType,
    singular,
    type_of_label,
    type_of_noun,
)
from hoptrail.agents.language.mentions import Mention
from hoptrail.agents.language.name_shapes import type_by_shape
from hoptrail.agents.language.topics import may_name_person

_IS_A = re.compile(
    r"\b(?:is|was|are|were)\s+(?:(?:also|formerly|once|originally|currently|now|one\s+of)\s+)*"
    r"(?:an?|the)\s+([^.;:]{3,160})",
    re.IGNORECASE,
)
_PHRASE_END = re.compile(
    r"\b(?:that|which|who|whose|where|when|in|of|for|from|by|at|on|to|with|based|located|born|"
    r"known|written|directed|released|published|founded|created|near|between|during|since)\b"
    r"|[,()]"
)
_APPOSITION = re.compile(r"^\s*,\s*(?:an?|the)\s+([a-z][^.,;:()]{2,80})")
_BEFORE = re.compile(r"(?:\bthe\s+([a-z][\w-]+)\s+of|([a-z][\w-]+))\s+$", re.IGNORECASE)
_PERSON_PRONOUN = re.compile(r"^(?:He|She|His|Her)\b")

_COUNTRIES = """
afghanistan|albania|algeria|america|andorra|angola|antigua and barbuda|argentina|armenia|australia
austria|azerbaijan|bahamas|bahrain|bangladesh|barbados|belarus|belgium|belize|benin|bermuda|bhutan
bolivia|bosnia and herzegovina|botswana|brazil|brunei|bulgaria|burkina faso|burma|burundi|cambodia
cameroon|canada|cape verde|central african republic|chad|chile|china|colombia|comoros|congo
costa rica|croatia|cuba|cyprus|czech republic|czechia|democratic republic of the congo|denmark
djibouti|dominica|dominican republic|east germany|east timor|ecuador|egypt|el salvador|england
equatorial guinea|eritrea|estonia|eswatini|ethiopia|falkland islands|fiji|finland|france|gabon
gambia|georgia|germany|ghana|greece|greenland|grenada|guatemala|guinea|guinea bissau|guyana|haiti
honduras|hong kong|hungary|iceland|india|indonesia|iran|iraq|ireland|israel|italy|ivory coast
jamaica|japan|jordan|kazakhstan|kenya|kiribati|kosovo|kuwait|kyrgyzstan|laos|latvia|lebanon|lesotho
liberia|libya|liechtenstein|lithuania|luxembourg|macedonia|madagascar|malawi|malaysia|maldives|mali
malta|marshall islands|mauritania|mauritius|mexico|micronesia|moldova|monaco|mongolia|montenegro
morocco|mozambique|myanmar|namibia|nauru|nepal|netherlands|new zealand|nicaragua|niger|nigeria
north korea|north macedonia|northern ireland|norway|oman|pakistan|palau|palestine|panama
papua new guinea|paraguay|people s republic of china|peru|philippines|poland|portugal|qatar
republic of ireland|romania|russia|rwanda|saint kitts and nevis|saint lucia
saint vincent and the grenadines|samoa|san marino|saudi arabia|scotland|senegal|serbia|seychelles
sierra leone|singapore|slovakia|slovenia|solomon islands|somalia|south africa|south korea
south sudan|soviet union|spain|sri lanka|sudan|suriname|sweden|switzerland|syria|taiwan|tajikistan
tanzania|thailand|togo|tonga|trinidad and tobago|tunisia|turkey|turkmenistan|tuvalu|u s|uganda|uk
ukraine|united arab emirates|united kingdom|united states|united states of america|uruguay|us|usa
uzbekistan|vanuatu|vatican city|venezuela|vietnam|wales|west germany|yemen|yugoslavia|zambia
zimbabwe
"""
_STATES = """
alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii
idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan
minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york
north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina
south dakota|tennessee|texas|utah|vermont|virginia|washington|west virginia|wisconsin|wyoming
new south wales|queensland|south australia|tasmania|victoria|western australia
andhra pradesh|assam|bihar|gujarat|karnataka|kerala|madhya pradesh|maharashtra|odisha|punjab
rajasthan|tamil nadu|telangana|uttar pradesh|west bengal
"""
_PROVINCES = """
alberta|british columbia|manitoba|new brunswick|newfoundland and labrador|nova scotia|ontario
prince edward island|quebec|saskatchewan
"""


class NameTyper:
    """Judges types of names by entity types, by "X is a ...", by their words and pronouns."""

    def __init__(self, graph: SentenceGraph) -> None:
        self._graph = graph
        self._nouns: dict[str, set[str]] = defaultdict(set)
        self._persons: set[str] = set()
        self._read()
        self.nouns = lru_cache(maxsize=None)(self._collect_nouns)

    def fit(self, mention: Mention, noun: str, answer_type: AnswerType) -> float:
        """Return how well a name fits what is sought: 1 the very noun, 0 unknown, -1 another kind.

        Args:
            mention: The candidate as it stands in a text.
            noun: The common noun of what is sought, may be empty.
            answer_type: Its type.
        """
        if mention.kind in {"date", "number"}:
            return self._fit_of_value(mention, answer_type)
        if noun and (noun in self.nouns(mention.key) or noun in mention.key.split()):
            return 1.0
        if answer_type in {"other", "yes_no"}:
            return 0.0
        own_type = self.type_of(mention)
        if own_type is None:
            return self._fit_by_shape(mention, answer_type)
        return 0.7 if own_type == answer_type else -1.0

    def type_of(self, mention: Mention) -> AnswerType | None:
        """Return a name's type, None where nothing tells."""
        if mention.kind == "date" or mention.kind == "number":
            return mention.kind
        for entity_type in self._entity_types(mention.key):
            return entity_type
        for noun in sorted(self.nouns(mention.key)):
            found = type_of_noun(noun)
            if found is not None:
                return found
        if mention.key in self._persons:
            return "person"
        return type_by_shape(self._graph.name(mention.key))

    def _entity_types(self, key: str) -> list[AnswerType]:
        entity_id = self._graph.index.entity_id(key)
        entity = self._graph.index.entities.get(entity_id or "")
        found = type_of_label(entity.type) if entity else None
        return [found] if found else []

    def _collect_nouns(self, key: str) -> frozenset[str]:
        nouns = set(self._nouns.get(key, ())) | known_kinds(key)
        entity = self._graph.index.entities.get(self._graph.index.entity_id(key) or "")
        if entity and entity.type:
            nouns.update(singular(word) for word in entity.type.lower().split())
        return frozenset(nouns)

    def _read(self) -> None:
        for fact in self._graph.facts:
            if fact.relation is not None and fact.relation.predicate in _TYPE_PREDICATES:
                self._nouns[fact.mentions[0].key] |= _head_nouns(fact.relation.object)
            if fact.sentence is None:
                continue
            if _PERSON_PRONOUN.match(fact.text) and may_name_person(self._graph.name(fact.topic)):
                self._persons.add(fact.topic)
            is_lead = fact.sentence.is_lead
            match = _IS_A.search(fact.text)
            if match and (is_lead or _names_topic(fact.mentions, fact.topic, match.start())):
                self._nouns[fact.topic] |= _head_nouns(match.group(1))
            for mention in fact.mentions:
                self._read_around(fact.text, mention)

    def _read_around(self, text: str, mention: Mention) -> None:
        after = _APPOSITION.match(text[mention.end : mention.end + 100])
        if after:
            self._nouns[mention.key] |= _head_nouns(after.group(1))
        before = _BEFORE.search(text[max(0, mention.start - 30) : mention.start])
        if before:
            noun = singular((before.group(1) or before.group(2)).lower())
            type_ = type_of_noun(noun)
            # The town of Varde is Varde; the brother of Ann is another one.
            if type_ is not None and not (before.group(1) and type_ == "person"):
                self._nouns[mention.key].add(noun)

    def _fit_of_value(self, mention: Mention, answer_type: AnswerType) -> float:
        if mention.kind == answer_type:
            return 1.0
        if mention.kind == "date" and answer_type == "number":
            return -0.5
        return -1.0 if answer_type != "other" else -0.5

    def _fit_by_shape(self, mention: Mention, answer_type: AnswerType) -> float:
        if answer_type in {"date", "number"}:
            has_digit = any(character.isdigit() for character in mention.text)
            return 0.5 if has_digit else -1.0
        words = mention.text.split()
        is_capitalised = all(word[0].isupper() for word in words if word not in {"of", "the", "de"})
        if not is_capitalised:
            return -0.5
        if answer_type == "person":
            return 0.3 if 2 <= len(words) <= 4 and not mention.text.startswith("The ") else -0.1
        return 0.1


_TYPE_PREDICATES = frozenset({"is", "is a", "is an", "was", "was a", "was an", "instance of"})


def _names_topic(mentions: tuple[Mention, ...], topic: str, end: int) -> bool:
    return any(mention.key == topic and mention.end <= end for mention in mentions)


def _head_nouns(phrase: str) -> set[str]:
    head = phrase[: match.start()] if (match := _PHRASE_END.search(phrase)) else phrase
    parts = re.split(r"\band\b|,", head)
    nouns: set[str] = set()
    for part in parts:
        words = re.findall(r"[a-z][\w-]+", part)
        nouns.update(singular(word) for word in words[-1:])  # a county seat is no county
        nouns.update(singular(word) for word in words[:-1] if type_of_noun(words[-1]))
    return nouns


def _names(text: str) -> frozenset[str]:
    return frozenset(name for line in text.split("\n") for name in line.split("|") if name)


_KINDS = (
    ("country", _names(_COUNTRIES)),
    ("state", _names(_STATES)),
    ("province", _names(_PROVINCES)),
)


def known_kinds(key: str) -> frozenset[str]:
    """Return what a `name_key` is commonly known to be: "country", "state", "province" or none."""
    return frozenset(kind for kind, names in _KINDS if key in names)
