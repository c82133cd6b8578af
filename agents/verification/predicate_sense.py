"""How a claim's predicate binds its two ends: who acts, who owns, what is only a circumstance."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from hoptrail.agents.language.assertion import has_doubt
from hoptrail.agents.language.sentence_grammar import THIRD_PERSONS
from hoptrail.agents.language.word_groups import word_group, word_groups
from hoptrail.core.text import name_key, words

Role = Literal["agent", "patient", "circumstance", "bearer", "owner"]
"""The role of an end of a claim beside its predicate.

Of a verb: who acts, what is acted on, or a place, time or other circumstance. Of a noun: the thing
that bears it as a name ("her wife Ellen") and the thing whose it is.
"""
SenseKind = Literal["verb", "noun", "attribute", "placing", "having", "link"]
"""The kind of word that carries a predicate.

An attribute may be stated by an adjective or noun alone ("a Norwegian brewer"), a placing by a
preposition ("a mill in Halden"); a link is no more than a form of "be" or a preposition.
"""

_LIGHT = word_groups(
    "date year place location located name named time day country full relation type kind"
)
PREPOSITIONS = frozenset(
    """of in on at by for from to with within near under into through over via since until as
    before after during between among along beside against""".split()
)
_HELPERS = frozenset(
    "is are was were be been being am has have had did does do will shall also not never".split()
)
_JOINERS = frozenset("and or but nor with , ; : ( ) - –".split())
_NEGATIONS = frozenset("not never no n't nor without cannot".split())
_IRREGULAR = frozenset(
    """born wrote written sang sung built led made won held taught sold bought brought gave given
    took taken began begun ran became left met fought drew drawn chose chosen cut fell founded kept
    lost sent spoke spoken stood shot set cost""".split()
)
_LEADING_HELPERS = re.compile(r"^(?:(?:is|are|was|were|the) ){1,2}")
_LAST_PREPOSITION = re.compile(r" (?:in|on|at)$")
_PLACING = frozenset(
    """located situated lies lie lay place city location based found part county state sits stands
    region island district municipality""".split()
)
_ARTICLES = frozenset("a an the".split())
_HAVING = frozenset("has have had".split())
_ATTRIBUTES = word_groups(
    "occupation profession job nationality citizenship country genre type kind instance species"
)
_PARENTS = {"father": "m", "mother": "f", "parent": "", "parents": ""}
_CHILDREN = {
    "son": "m", "sons": "m", "daughter": "f", "daughters": "f", "child": "", "children": "",
}  # fmt: skip
_MUTUAL = word_groups(
    """spouse consort married wife husband sibling brother sister twin partner neighbour borders
    adjacent cousin friend colleague sister same"""
)
_ACTING_NOUNS = word_groups(
    """author writer director composer performer singer founder publisher producer manufacturer
    owner designer builder discoverer inventor leader teacher employer killer supplier operator
    editor painter architect creator developer sponsor translator manager tenant buyer seller"""
)
_PROPERTIES = {
    "author": "was written by", "written by": "author", "directed by": "director",
    "composed by": "composer", "performed by": "performer", "sung by": "performer",
    "painted by": "painter", "developed by": "developer", "composer": "was composed by",
    "ceo": "chief executive officer|chief executive", "ceo of": "chief executive officer of",
    "creator": "was created by", "created by": "creator",
    "director": "was directed by", "editor": "was edited by", "screenwriter": "was written by",
    "performer": "was performed by|was sung by|was recorded by",
    "producer": "was produced by", "publisher": "was published by",
    "developer": "was developed by", "founder": "was founded by", "designer": "was designed by",
    "founded by": "was established by|was formed by|was created by|was started by",
    "manufacturer": "was manufactured by|was built by|was made by|was produced by",
    "architect": "was designed by|was built by", "distributor": "was distributed by",
    "owned by": "owner|belongs to|was bought by|was acquired by",
    "date of birth": "was born on", "place of birth": "was born in", "birth date": "was born on",
    "birthplace": "was born in", "date of death": "died on", "place of death": "died in",
    "place of burial": "was buried in|is interred in", "cause of death": "died of|was killed in",
    "manner of death": "died by", "place of detention": "was imprisoned in|was held in",
    "residence": "lived in|lives in|resided in|moved to", "educated at":
    "studied at|attended|graduated from|received a degree from|is an alumnus of|graduate of",
    "attended": "studied at|was educated at|graduated from", "alma mater": "attended|studied at",
    "employer": "works for|worked at|taught at|was employed by|was a professor at",
    "award received": "received|won|was awarded", "member of": "joined|belongs to|is a member of",
    "member of sports team": "played for|plays for", "team": "played for|plays for",
    "club": "played for|plays for", "home stadium": "plays home games at|plays home matches at",
    "home ground": "plays home games at|plays home matches at", "plays home matches at":
    "plays home games at", "plays home games at": "plays home matches at",
    "place of marriage": "was married in",
    "spouse": "was married to|married|was the wife of|was the husband of|consort",
    "husband": "was married to|married", "wife": "was married to|married",
    "mother": "was born to", "father": "was born to", "mother of": "gave birth to",
    "sibling": "brother|sister",
    "publication date": "was released in|was published in|premiered in|appeared in|kind",
    "release date": "was released in|premiered in|kind",
    "release year": "was released in|premiered in|kind",
    "year of release": "was released in|premiered in|kind",
    "birth year": "was born in", "year of birth": "was born in", "death year": "died in",
    "year of death": "died in",
    "from": "nationality", "connects": "links|joins", "links": "connects|joins",
    "graduate of": "graduated from", "graduated from": "graduate of",
    "parent company": "is a subsidiary of|is owned by",
    "network": "aired on|was aired on|was broadcast on",
    "original network": "aired on|was aired on|was broadcast on",
    "production company": "was produced by", "voice actor": "was voiced by|voiced",
    "released": "was released on|was released in|debuted on|debuted in|kind",
    "lead vocalist": "lead singer|singer", "vocalist": "singer|lead singer",
    "aired": "was aired on|was aired in",
    "originally aired": "aired on|was aired on", "published": "was published in|was published on",
    "first published": "was first published in",
    "inception": "was founded in|was established in|was formed in|was created in|was built in",
    "founded in": "was established in|was formed in|was started in",
    "headquarters location": "is based in|is headquartered in",
    "headquarters": "is based in|is headquartered in",
    "country of origin": "was made in|comes from|kind", "located in": "is situated in|lies in",
    "year founded": "was founded in|was established in|was formed in", "established in":
    "was founded in|was formed in", "worked as": "occupation", "works as": "occupation",
    "record label": "was released by|was released through|was released on|is signed to",
    "located in the administrative territorial entity": "located in",
    "located on terrain feature": "located on|located in", "country": "located in",
    "presenter": "was presented by|was hosted by", "doctoral advisor": "studied under",
    "student of": "studied under|was taught by", "student": "taught",
    "has part": "consists of|includes", "part of": "belongs to",
    "position held": "served as|became|was appointed|was elected",
    "wrote": "author of", "starring": "stars|features", "cast member": "stars|starred|features",
}  # fmt: skip
"""Wordings of properties as knowledge graphs name them, several divided by "|".

"kind" is what a definition alone may tell: "is a 1998 film", "is a Norwegian brewery".
"""


@dataclass(frozen=True, slots=True)
class PredicateSense:
    """A claim's predicate, read.

    `groups` are the word groups that a sentence must have; `subject` and `object` the roles of the
    claim's ends; `preposition` is the one before the object, empty for none. `is_doubtful` marks
    "did not found" and "may have founded"; `noun` is what a noun predicate is told by, `head` the
    group of its verb or noun, `wording` its words where it may stand in a text as it is.
    """

    kind: SenseKind
    groups: frozenset[str]
    subject: Role
    object: Role
    preposition: str = ""
    is_mutual: bool = False
    is_doubtful: bool = False
    noun: str = ""
    head: str = ""
    wording: tuple[str, ...] = ()

    @property
    def is_noun(self) -> bool:
        """Whether a noun carries the predicate."""
        return self.kind in {"noun", "attribute"}


@lru_cache(maxsize=4096)
def read_predicate(predicate: str) -> tuple[PredicateSense, ...]:
    """Return the senses of a predicate: as it is worded, then as its property is else worded.

    A noun alone says what the object is to the subject, as in "Red Fern - director - John Ford".
    """
    plain = predicate.replace("_", " ")
    others = _other_wordings(name_key(plain))
    senses = [_sense(one) for one in (plain, *filter(None, others.split("|")))]
    wording = tuple(re.findall(r"\w+(?:[-./]\w+)*|[^\w\s]", plain.lower()))
    can_stand = len(wording) > 1 and wording[0] not in _JOINERS
    return (replace(senses[0], wording=wording if can_stand else ()), *senses[1:])


def _other_wordings(key: str) -> str:
    """Return how the property of a predicate is else worded: "was released in" as "released"."""
    bare = _LEADING_HELPERS.sub("", key)
    return next(
        (
            _PROPERTIES[one]
            for one in (key, bare, _LAST_PREPOSITION.sub("", bare))
            if one in _PROPERTIES
        ),
        "",
    )


def _sense(predicate: str) -> PredicateSense:
    told = words(predicate)
    content = word_groups(" ".join(told))
    groups = content - _LIGHT or content
    last = told[-1] if told and told[-1] in PREPOSITIONS else ""
    is_doubtful = has_doubt(predicate)
    telling = [word for word in told if word not in _HELPERS and word not in PREPOSITIONS]
    if not telling or not content:
        kind: SenseKind = "having" if _HAVING & set(told) and not last else "link"
        if kind == "link" and last in {"in", "at", "within", "near", "on"}:
            kind = "placing"
        return PredicateSense(kind, frozenset(), "agent", "patient", last, is_doubtful=is_doubtful)
    placing = last or next((word for word in told if word in PREPOSITIONS), "")
    if set(telling) <= _PLACING | _ARTICLES and (placing or len(told) == 1):
        if placing not in {"of", "by"}:
            return PredicateSense(
                "placing", groups, "agent", "patient", placing, is_doubtful=is_doubtful
            )
    is_mutual = bool(groups & _MUTUAL)
    verb = next((word for word in told if _is_verb(word, told)), None)
    if verb is not None:
        return _verb_sense(verb, told, groups, last, is_mutual, is_doubtful)
    noun = _head_noun(told, groups)
    kind = "attribute" if content <= _ATTRIBUTES else "noun"
    has_it = told[0] in _HAVING and "been" not in told and last in {"", "of"}
    owns = has_it or (not last and told[0] not in _HELPERS)
    roles: tuple[Role, Role] = ("owner", "bearer") if owns else ("bearer", "owner")
    return PredicateSense(
        kind,
        groups,
        *roles,
        last,
        is_mutual=is_mutual,
        is_doubtful=is_doubtful,
        noun=noun,
        head=word_group(noun),
    )


def _head_noun(told: list[str], groups: frozenset[str]) -> str:
    """Return the last telling word before the first preposition, else the first telling one."""
    telling = [word for word in told if word_group(word) in groups or word in PREPOSITIONS]
    head = ""
    for word in telling:
        if word in PREPOSITIONS and head:
            break
        head = head if word in PREPOSITIONS else word
    return head


def _verb_sense(
    verb: str,
    told: list[str],
    groups: frozenset[str],
    last: str,
    is_mutual: bool,
    is_doubtful: bool,
) -> PredicateSense:
    helpers = [word for word in told[: told.index(verb)] if word in _HELPERS]
    has_be = bool(set(helpers) - _HAVING - _NEGATIONS - {"did", "does", "do", "will", "shall"})
    is_passive = (has_be and not verb.endswith("ing")) or verb == "born" or last == "by"
    subject: Role
    object_: Role
    if last == "by":
        subject, object_ = "patient", "agent"
    elif last == "of" and len(groups) > 1:
        subject, object_ = "agent", "patient"
    elif last or is_passive:
        subject, object_ = "patient", "circumstance"
    else:
        subject, object_ = "agent", "patient"
    return PredicateSense(
        "verb",
        groups,
        subject,
        object_,
        last,
        is_mutual,
        is_doubtful,
        head=word_group(verb),
    )


def _is_verb(word: str, told: list[str]) -> bool:
    if word in _HELPERS or word in PREPOSITIONS:
        return False
    place = told.index(word)
    if word.endswith("ing") and len(word) > 4:
        follows_be = place > 0 and told[place - 1] in _HELPERS
        return follows_be or all(other in PREPOSITIONS for other in told[place + 1 :])
    if word in _IRREGULAR or word.endswith("ed") and len(word) > 4:
        return place == 0 or told[place - 1] not in {"a", "an", "the"}
    if word in THIRD_PERSONS:
        return True
    alone = sum(other not in PREPOSITIONS for other in told) == 1
    has_ending = word.endswith("s") and not word.endswith(("ss", "us", "is", "ers", "ors"))
    return alone and has_ending and word_group(word) not in _ATTRIBUTES | _MUTUAL


def acts(noun: str) -> bool:
    """Return whether the bearer of a noun is who acts: the founder founds."""
    return word_group(noun) in _ACTING_NOUNS


def kinship(noun: str) -> tuple[str, str]:
    """Return "parent" or "child" and "m", "f" or nothing for a word of descent, else two blanks."""
    if noun in _PARENTS:
        return "parent", _PARENTS[noun]
    return ("child", _CHILDREN[noun]) if noun in _CHILDREN else ("", "")
