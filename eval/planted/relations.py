"""Relations that encyclopedic sentences state in few ways: how each is worded and recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

ObjectType = Literal["date", "number", "person", "place", "organization", "occupation", "people"]

_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_ANY_DATE = rf"(?:\d{{1,2}} {_MONTH} \d{{3,4}}|{_MONTH} \d{{1,2}}, \d{{3,4}}|\b\d{{4}}\b)(?! or\b)"
_DATE = f"(?P<o>{_ANY_DATE})"
_YEAR = r"(?P<o>\b1\d{3}\b|\b20\d{2}\b)"
_WORD = r"[^\W\d_a-z][\w'’.-]*"
_OF_PEOPLE = "de la|de|van der|van|von|der|da|di|bin|ibn"
# A name ends where nothing follows that it could belong to: "New York City native Ann Lee".
_END = (
    r"(?<![.,-])(?=[.,;:)]|$| (?:and|in|at|on|from|with|as|for|to|who|which|that|under|starring|"
    r"featuring|based|along|alongside|about|after|before|during|between|until|since)\b)"
)
_NAME = rf"(?P<o>{_WORD}(?:\s(?:(?:{_OF_PEOPLE}|of the|of) )?{_WORD})*){_END}"
_PERSON = rf"(?P<o>{_WORD}(?:\s(?:(?:{_OF_PEOPLE}) )?{_WORD})+){_END}"
_PEOPLE = (
    "American|British|English|Scottish|Irish|Welsh|French|German|Italian|Spanish|Swedish|Norwegian|"
    "Danish|Polish|Russian|Indian|Japanese|Chinese|Canadian|Australian|Dutch|Belgian|Austrian|"
    "Hungarian|Mexican|Brazilian|Turkish|Iranian|Korean"
)
_PROFESSION = (
    "actor|actress|singer|songwriter|composer|film director|politician|lawyer|footballer|writer|"
    "novelist|poet|painter|architect|engineer|physicist|historian|journalist|baseball pitcher|"
    "tennis player|screenwriter|cricketer|businessman|philosopher|guitarist|drummer|comedian|"
    "producer|rapper|explorer"
)


@dataclass(frozen=True, slots=True)
class RelationWording:
    """A relation, its wordings in claims, and what marks it in a text.

    `label` names the object ("the director of X is Y"), empty where there is no such noun.
    `phrases` lead from subject to object; a claim with one is false with its ends exchanged.
    `patterns` find a stated object after the subject. A text without a match of `cues` does not
    state the relation.
    """

    object_type: ObjectType
    label: str
    phrases: tuple[str, ...]
    cues: re.Pattern[str]
    patterns: tuple[re.Pattern[str], ...]

    def wordings(self, object_: str) -> tuple[str, ...]:
        """Return the relation's wordings before this object: "born on" a day, "born in" a year."""
        is_year = object_.isdigit()
        fitting = (re.sub(r"\bin$", "on", phrase) for phrase in self.phrases)
        in_year = (re.sub(r"\bon$", "in", phrase) for phrase in self.phrases)
        phrases = (
            self.phrases if self.object_type != "date" else tuple(in_year if is_year else fitting)
        )
        return (self.label, *phrases) if self.label else phrases


def _relation(
    object_type: ObjectType, label: str, phrases: str, cues: str, *patterns: str
) -> RelationWording:
    return RelationWording(
        object_type,
        label,
        tuple(phrase.strip() for phrase in phrases.split("|") if phrase.strip()),
        re.compile(rf"\b(?:{cues})", re.IGNORECASE),
        tuple(re.compile(pattern) for pattern in patterns),
    )


def _by(participles: str) -> str:
    """Return the pattern of "written and directed by NAME" that is no list of names."""
    more = r"(?:(?:, | and |, and )(?:\w+-)?(?:[a-z]+ed|written))*"
    return rf"\b(?:{participles}){more},? by {_PERSON}"


RELATIONS = (
    _relation(
        "date",
        "date of birth",
        "born on | was born on",
        r"born|birth|b\.|\(.{0,60}\d{3,4}.?[–-]",
        rf"^[^()]{{2,70}}\((?:[^()]*?[;:])?\s*{_DATE} ?[–-] ?[^()]*\d{{3,4}}\)",
        rf"^[^()]{{2,70}}\([^()]*?\bborn {_DATE}",
        rf"^(?:He|She) was born on {_DATE}",
    ),
    _relation(
        "date",
        "date of death",
        "died on",
        r"d[iy]|death|dead|dead|killed|d\.|\d{3,4} ?[–-]",
        rf"^[^()]{{2,70}}\([^()]*{_ANY_DATE} ?[–-] ?{_DATE}\)",
        rf"^(?:He|She) died on {_DATE}",
    ),
    _relation(
        "place",
        "place of birth",
        "born in | was born in",
        r"born|birth|native|from\b",
        rf"^[^()]{{2,70}}\([^()]*\bborn [^()]*\d{{3,4}},? in {_NAME}[,)]",
        rf"^(?:He|She) was born in {_NAME}(?=[,.]| on\b| in \d)",
    ),
    _relation(
        "place",
        "place of death",
        "died in",
        r"d[iy]|death|killed",
        rf"^(?:He|She) died in {_NAME}(?=[,.]| on\b| in \d)",
    ),
    _relation(
        "person",
        "director",
        "directed by | was directed by",
        r"direct|film by|helm|dir\.",
        _by("directed"),
    ),
    _relation(
        "person",
        "writer",
        "written by | was written by",
        r"writ|wrote|screenplay|author|pen",
        _by("written"),
    ),
    _relation(
        "person",
        "producer",
        "produced by | was produced by",
        r"produc|made",
        _by("produced"),
    ),
    _relation(
        "person",
        "composer",
        "composed by",
        r"compos|music|score|soundtrack|wr[io]t|song",
        _by("composed"),
        rf"\bmusic (?:was )?composed by {_PERSON}",
    ),
    _relation(
        "person",
        "founder",
        "founded by | was founded by",
        r"found|establish|creat|start|form",
        _by("founded"),
        _by("established"),
    ),
    _relation("person", "designer", "designed by", r"design|architect|built|plan", _by("designed")),
    _relation(
        "organization",
        "publisher",
        "published by | is published by",
        r"publi|issued|press",
        rf"\bpublished (?:\w+ )?by (?:the )?{_NAME}",
    ),
    _relation(
        "organization",
        "record label",
        "released by",
        r"releas|label|record|issued",
        rf"\breleased (?:\w+ )?by (?:the )?{_NAME}",
    ),
    _relation(
        "organization",
        "owner",
        "owned by | is owned by",
        r"own|subsidiary|belong|acqui|b[uo]y|part of",
        rf"\bowned (?:and operated )?by (?:the )?{_NAME}",
    ),
    _relation(
        "person",
        "father",
        "",
        r"father|son\b|daughter|child|born to|parent|brother|sister",
        rf"^(?:His|Her) father was {_PERSON}",
    ),
    _relation(
        "person",
        "parent",
        "was the child of",
        r"father|mother|son\b|daughter|child|born to|parent",
        rf"\b(?:is|was) (?:the|a|an) (?:\w+ ){{0,3}}(?:son|daughter) of {_PERSON}",
    ),
    _relation(
        "person",
        "cast member",
        "starring | stars",
        r"star|cast|act|play|role|featur",
        rf"\bstarring {_PERSON}",
    ),
    _relation(
        "occupation",
        "occupation",
        "",
        _PROFESSION + r"|work|occupation|profession|career|direct|sing|writ|wrote",
        rf"\b(?:is|was) an? (?:\w+ )?(?:{_PEOPLE})(?:-\w+)? (?P<o>{_PROFESSION})\b(?! \w)",
    ),
    _relation(
        "people",
        "nationality",
        "",
        _PEOPLE + "|national|citizen",
        rf"\b(?:is|was) an? (?P<o>{_PEOPLE}) (?:\w+ )?(?:{_PROFESSION})\b",
    ),
    _relation(
        "person",
        "mother",
        "",
        r"mother|son\b|daughter|child|born to|parent",
        rf"^(?:His|Her) mother was {_PERSON}",
    ),
    _relation(
        "person",
        "spouse",
        "married | was married to | married to",
        r"marri|wife|husband|spouse|wed|widow",
        rf"^(?:He|She) (?:was married to|married) {_PERSON}",
    ),
    _relation(
        "organization",
        "alma mater",
        "attended | studied at | graduated from",
        r"attend|educat|graduat|stud|school|colleg|universit|alum|degree",
        rf"^(?:He|She) (?:attended|graduated from|studied at) (?:the )?{_NAME}",
    ),
    _relation(
        "date",
        "year founded",
        "founded in | was founded in | established in",
        r"found|establish|creat|start|form|inc|open|since|began",
        rf"\b(?:founded|established) in {_YEAR}",
    ),
    _relation(
        "date",
        "publication date",
        "released in | was released in",
        r"releas|publi|issu|premier|came out|\d{4} .{0,40}(?:film|album|song|book|novel|series)",
        rf"\breleased (?:on|in) {_DATE}",
    ),
    _relation("date", "", "opened in | was opened in", r"open", rf"\bopened in {_YEAR}"),
    _relation(
        "date",
        "",
        "built in | was built in",
        r"buil|construct|erect|complet",
        rf"\bbuilt in {_YEAR}",
    ),
    _relation(
        "place",
        "",
        "located in | is located in | is situated in",
        r"locat|situat|lies|in\b|based",
        rf"\b(?:located|situated) in (?:the )?{_NAME}",
    ),
    _relation(
        "place",
        "",
        "based in | is based in",
        r"base|headquart|offices|seat|in\b",
        rf"\b(?:based|headquartered) in {_NAME}",
    ),
    _relation(
        "number",
        "population",
        "",
        r"popul|inhabit|resid",
        r"\bpopulation (?:of|was|is) (?P<o>\d[\d,]*\d)",
    ),
)

_BY_PREDICATE = {
    (predicate, relation.object_type == "date"): relation
    for relation in RELATIONS
    for example in ("1900", "1 May 1900")
    for predicate in relation.wordings(example)
}


def relation_of(predicate: str, object_: str) -> RelationWording | None:
    """Return the relation that a predicate words, None for one that is not listed.

    The object tells "born in" a year from "born in" a town.
    """
    return _BY_PREDICATE.get((predicate, any(c.isdigit() for c in object_)))
