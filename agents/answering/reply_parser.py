"""Read an answerer's reply: strict in form asked for, lenient in form accepted."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hoptrail.agents.answering.sparql_trace import (
    first_unresolved,
    is_unknown,
    parse_bindings,
    parse_patterns,
)
from hoptrail.core.types import Strategy
from hoptrail.core.types.draft import Draft, HopClaim

MAX_ANSWER_CHARACTERS = 400
_MAX_REPLY = 20_000
_MAX_HOPS = 8
_LONGEST_HOP = 1_200

_FINAL = re.compile(r"final\s++answer[*_`\"\s]*+[:：][*_`\s]*+([^\n]*)", re.IGNORECASE)
_FALLBACK = re.compile(
    r"^[ \t>*_#`-]*+(?:(?:the\s++)?answer[*_`\s]*+[:：]|(?:(?:so|thus|therefore|hence),?[ \t]*+)?"
    r"the\s++(?:final\s++)?answer\s++is\b:?)[*_`\s]*+([^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_HOP = re.compile(
    r"^[ \t>*_`#-]*+hop[ \t]*+\d*+[*_`\s]*+[:.)-][*_`\s]*+([^\n|]*+\|[^\n]*+)$", re.I | re.M
)
_LABEL = re.compile(r"P\d+")
_CITED = re.compile(r"(?<!\s)\s*+(?:\[P\d++(?:\s*+,\s*+P\d++)*+\]|\(P\d++(?:\s*+,\s*+P\d++)*+\))")
_SEPARATOR = re.compile(r"(?<!\s)\s*+;\s++")
_ABSTENTION = re.compile(
    r"""^\W*+(?:
    (?:sorry\W+)?(?:i|we)\s+(?:really\s+|simply\s+)?(?:do\s+not|don[’']?t|can\s*not|can[’']?t|
        could\s+not|couldn[’']?t|am\s+not|[’']m\s+not|am\s+unable|have\s+no)\b.*
    |(?:it|this|that|the\s+answer|the\s+information|there)\s+(?:is|are|was|does|can|could)\s*
        (?:not|n[’']t|no)\b.*
    |(?:unknown|unresolved|none|null|n/?a|no\s+answer|undetermined|unanswerable|idk)\W*
    |(?:not|cannot\s+be|can[’']t\s+be|could\s+not\s+be)\s+(?:enough|found|known|given|in|stated|
        mentioned|specified|provided|available|determined|answered|possible)\b.*
    |(?:insufficient|no\s++(?:relevant\s++|sufficient\s++)?)\s*+(?:information|evidence|context|data)\b.*
    |the\s+(?:evidence|context|passages?|text|documents?)\s+(?:does|do|did|is|has)\s*
        (?:not|n[’']t|no)\b.*
    |je\s+ne\s+sais\s+pas.*|ich\s+weiß\s+(?:es\s+)?nicht.*|no\s+(?:lo\s+)?sé.*|não\s+sei.*
    |non\s+lo\s+so.*|(?:我)?不知道.*|わかりません.*|分かりません.*|не\s+знаю.*|я\s+не\s+знаю.*
    )$""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def parse_reply(reply: str, strategy: Strategy, labels: Mapping[str, str]) -> Draft:
    """Return the draft in a reply; `labels` maps the passage labels shown to chunk ids.

    Whatever cannot be read, be it empty, cut off or noise, is an abstention.
    """
    text = _readable(reply)
    hops = parse_hops(text, labels)
    answers = parse_answers(text)
    if answers:
        known = tuple(hop for hop in hops if not _is_open(hop))
        return Draft(strategy, answers=answers, hops=known, raw=text)
    missing = first_unresolved(parse_patterns(text), parse_bindings(text), hops)
    return Draft(
        strategy,
        reason="unresolved_variable" if missing else "no_evidence",
        hops=tuple(hop for hop in hops if not _is_open(hop)),
        unresolved=missing.variables[0] if missing else None,
        missing=missing,
        raw=text,
    )


def parse_answers(reply: str) -> tuple[str, ...]:
    """Return the answers after the last `FINAL ANSWER:`, none for an abstention."""
    answer = _final_text(reply)
    if answer is None or is_abstention(answer):
        return ()
    parts = (_trim(part) for part in _SEPARATOR.split(answer))
    return tuple(dict.fromkeys(part for part in parts if part and not is_abstention(part)))


def parse_hops(reply: str, labels: Mapping[str, str]) -> tuple[HopClaim, ...]:
    """Return the hop lines `HOP n: subject | relation | object | P3` in order."""
    hops: list[HopClaim] = []
    for match in _HOP.finditer(reply):
        if len(hops) == _MAX_HOPS:
            break
        if len(match.group(1)) > _LONGEST_HOP:
            continue
        fields = [field.strip(' \t*`"“”') for field in match.group(1).split("|")]
        if len(fields) < 3:
            continue
        cited = _LABEL.findall(" ".join(fields[3:]))
        chunk_id = next((labels[label] for label in cited if label in labels), None)
        claim = HopClaim(fields[0], fields[1], fields[2].rstrip("."), chunk_id)
        if claim not in hops:
            hops.append(claim)
    return tuple(hops)


def is_abstention(answer: str) -> bool:
    """Return whether an answer says that there is none, in one of the common ways."""
    return not re.search(r"\w", answer) or bool(
        _ABSTENTION.match(answer.strip()[:MAX_ANSWER_CHARACTERS])
    )


def _is_open(hop: HopClaim) -> bool:
    return is_unknown(hop.subject) or is_unknown(hop.object)


def _readable(reply: str) -> str:
    text = re.sub(r"<think>.*?(?:</think>|\Z)", "", reply, flags=re.DOTALL)
    text = "\n".join(line for line in text.splitlines() if not line.strip().startswith("```"))
    if len(text) <= _MAX_REPLY:
        return text
    half = _MAX_REPLY // 2
    return f"{text[:half]}\n{text[-half:]}"


def _final_text(reply: str) -> str | None:
    matches = list(_FINAL.finditer(reply)) or list(_FALLBACK.finditer(reply))
    if not matches:
        return None
    last = matches[-1]
    answer = _trim(last.group(1)) or _trim(_next_line(reply[last.end() :]))
    is_placeholder = re.fullmatch(r"[<\[{].*[>\]}]", answer) is not None
    # A set of answers may be long, one answer that is so long is none.
    longest = max(map(len, _SEPARATOR.split(answer)))
    if is_placeholder or longest > MAX_ANSWER_CHARACTERS:
        return None
    return answer


def _next_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


def _trim(answer: str) -> str:
    text = _CITED.sub("", answer)
    text = text.strip(' \t*_`"“”')
    if text.endswith(".") and not re.search(r"(?:\b\w|\b(?:Jr|Sr|Inc|Ltd|Co|St|Mt|Corp))\.$", text):
        text = text[:-1]
    return text.strip(' \t*_`"“”')
