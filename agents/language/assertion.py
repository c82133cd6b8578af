"""Whether a sentence says that something is so, or denies it, doubts it or only imagines it.

Read by cue words and their scope, after NegEx (Chapman et al. 2001, "A simple algorithm for
identifying negated findings and diseases"), which looks for a finding within the reach of a cue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hoptrail.agents.language.clauses import opening_clause_end

_DENIAL = re.compile(
    r"(?:\bnot\b(?!\s(?:only|just|merely|least|far\b|unlike))|n['’]t\b|\bnever\b)"
    r"(?![^,;.]{0,60}\buntil\b)"
    r"|\bno(?=\s[a-z])(?!\s(?:fewer|less|more|later|earlier|sooner|doubt|matter|longer\sthan)\b)"
    r"|\b(?:nor|neither|cannot|nothing|nowhere|none(?!\sother\b))\b"
    r"|\b(?:fail(?:s|ed)?|refus(?:e|es|ed)|declin(?:e|es|ed))\sto\b"
    r"|\b(?:anyone|anybody|anything|far\sfrom)\b",
    re.IGNORECASE,
)
# Denies what follows, and asserts what it stands behind: "on 15 June instead of 8 June".
_CONTRAST = re.compile(r"\b(?:instead\sof|rather\sthan)\b", re.IGNORECASE)
_NOBODY = re.compile(
    r"\b(?:nobody|no\s?one|neither|nor|none\sof|not\s(?:one|even|a\s\w+))\b", re.IGNORECASE
)
_UNREAL = re.compile(
    r"\b(?:could|might|may|must|should|would)\shave\b"
    r"|\b(?:could|might)\b|\bwould(?!\s(?:later|eventually|soon|subsequently|then|also|go\son|become"
    r"|remain|prove|serve)\b)"
    r"|\b(?:was|were|is|are)\sto\s(?:be|have)\b"
    r"|\b(?:is|are|was|were|been|be)\s(?:\w{2,20}ly\s)?(?:said|thought|believed|rumou?red|alleged|"
    r"supposed|reputed|reported|assumed|expected|scheduled|meant|intended|planned|claimed|hoped)"
    r"\s(?:to|that)\b"
    r"|\b(?:allegedly|supposedly|reputedly|purportedly|reportedly|rumou?red|hardly|scarcely|perhaps"
    r"|possibly|probably|presumably|apparently|maybe)\b"
    r"|\b(?:almost|nearly)\s(?:\w{2,20}ed|bought|sold|built|won|made|lost|became|wrote|written)\b"
    r"|\b(?:some|many|few|people|others|they|locals|legend|tradition|rumou?r)\s(?:say|says|believes?|"
    r"claims?|thinks?|holds?|has\sit)\b"
    r"|\b(?:den(?:y|ies|ied|ying)|doubt(?:s|ed)?|disput(?:e|es|ed)|refuted)\b"
    r"|\b(?:false|untrue|wrong|(?:a|the)\s(?:myth|lie|legend|rumou?r|hoax))\s(?:to\ssay\s)?that\b"
    r"|\b(?:hope[sd]?|offer(?:s|ed)?|propos(?:e[sd]?|al)|attempt(?:s|ed)?|tr(?:y|ies|ied)|want(?:s|ed)?"
    r"|intend(?:s|ed)?|plan(?:s|ned)?|wish(?:es|ed)?)\b[^,;.]{0,40}\s(?:to|that)\b"
    r"|\b(?:claim(?:s|ed)?|pretend(?:s|ed)?|imagin(?:e|es|ed)|dream(?:s|ed|t)?)\s(?:that|to)\b"
    r"|\b(?:in|according\sto)\s(?:(?:the|an?|one|local)\s)?(?:legend|myth|rumou?r)s?\b"
    r"|\b(?:proposed|considered|hoped|rejected|withdr(?:ew|awn)|cancell?ed|turned\sdown"
    r"|called\soff)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|whether)\b[^,;.]{0,200}|^had\s(?:the|an?|(?-i:[A-Z]))[^,;.]{1,200}",
    re.IGNORECASE,
)
_RETRACTION = re.compile(
    r",\s(?:or\s)?so\s(?:\w{1,20}\s){1,3}(?:said|says?|claim(?:s|ed)?|thought|believed?)\b",
    re.IGNORECASE,
)
# Where one statement of a sentence ends and the next begins.
_BOUNDARY = re.compile(
    r"[;:](?=\s)|\b(?:but|while|whereas|although|though|because)\b"
    r"|\b(?:and|so)\s(?=(?:is|are|was|were|has|have|had|did|never|he|she|it|they|his|her|its)\s)"
    r"|,\s(?:and|so)\s",
    re.IGNORECASE,
)
_ASIDE = re.compile(r",\s(?:who|which|whose|where|though|although|as)\b[^,;]{1,120},\s")


_CUES = (_DENIAL, _CONTRAST, _NOBODY, _UNREAL, _CONDITION, _RETRACTION)

_IS = re.compile(r"\b(what|who|where|when|how)['’]s\b", re.IGNORECASE)


@lru_cache(maxsize=8192)
def has_doubt(text: str) -> bool:
    """Return whether a text has a word of denial, doubt or mere possibility anywhere."""
    return any(pattern.search(text) for pattern in _CUES)


def is_asserted(text: str, start: int, end: int) -> bool:
    """Return whether a sentence says what it says around a part of it as a fact.

    "It was founded by Ann Holt, not by her son": of Ann Holt, not of her son.

    Args:
        text: The sentence.
        start: Offset of the part, such as the verb of a claim or the name that may be an answer.
        end: Offset behind it. Cue words within the part count too.
    """
    if not has_doubt(text):
        return True
    if _RETRACTION.search(text, end):
        return False
    left, right = clause_around(text, start, end)
    clause, at, stop = _without_asides(text[left:right], start - left, end - left)
    return not any(_reaches(clause, at, stop))


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether a sentence says that a part of it is not so, without a doubt or condition.

    Args:
        text: The sentence.
        start: Offset of the part.
        end: Offset behind it. Cue words within the part count too.
    """
    if is_asserted(text, start, end) or _UNREAL.search(text) or _CONDITION.search(text):
        return False
    return len([*_DENIAL.finditer(text)]) == 1


def _reaches(clause: str, at: int, stop: int) -> Iterator[bool]:
    """Yield whether each cue of a clause reaches the part of it from `at` to `stop`."""
    for cue in _DENIAL.finditer(clause):
        # A denial ends at a comma, and one behind the part must be in its own phrase.
        between = clause[cue.end() : at] if cue.end() <= at else clause[stop : cue.start()]
        yield "," not in between
    for cue in _CONTRAST.finditer(clause):
        yield cue.end() <= at and "," not in clause[cue.end() : at]
    for cue in _NOBODY.finditer(clause):
        yield cue.start() < stop or "," not in clause[stop : cue.start()]
    for cue in _UNREAL.finditer(clause):
        yield cue.start() < stop or "," not in clause[stop : cue.start()]
    for condition in _CONDITION.finditer(clause):
        yield condition.start() < stop and at < condition.end()


def clause_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the statement that a part of a sentence belongs to begins and ends.

    Args:
        text: The sentence.
        start: Offset of the part.
        end: Offset behind it.
    """
    left, right = 0, len(text)
    if (opening := opening_clause_end(text)) <= start:
        left = opening
    for boundary in _BOUNDARY.finditer(text):
        if boundary.end() <= start:
            left = max(left, boundary.end())
        elif boundary.start() >= end:
            right = min(right, boundary.start())
    return left, right


def _without_asides(clause: str, at: int, stop: int) -> tuple[str, int, int]:
    """Return a clause without what commas set apart, and where the part stands then."""
    for aside in reversed(list(_ASIDE.finditer(clause))):
        if aside.end() <= at:
            gone = aside.end() - aside.start() - 1
            clause = f"{clause[: aside.start()]} {clause[aside.end() :]}"
            at, stop = at - gone, stop - gone
    return clause, at, stop


def spelled_out(question: str) -> str:
    """Return a question with "what is" for "what's"."""
    return _IS.sub(r"\1 is", question)
