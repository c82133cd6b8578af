"""Read an answerer's reply: strict in form asked for, lenient in form accepted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hoptrail.agents.answering.sparql_trace import (
    parse_bindings,
    parse_patterns,
    traced_claims,
    unresolved,
)
from hoptrail.core.errors import ModelReplyError
from hoptrail.core.reply_conventions import FINAL_PATTERN, LONGEST_ANSWER, is_abstention, is_unbound
from hoptrail.core.text import clipped, name_key
from hoptrail.core.types import Strategy
from hoptrail.core.types.draft import Draft, HopClaim, Pattern

_MAX_REPLY = 20_000
_MAX_HOPS = 8
_LONGEST_HOP = 1_200
_SHOWN = 60  # characters of a reply that cannot be read

_FINAL = re.compile(rf"{FINAL_PATTERN.pattern}[*_`\s]*+([^\n]*)", re.IGNORECASE)
_FALLBACK = re.compile(
    r"^[ \t>*_#`-]*+(?:(?:the\s++)?answer[*_`\s]*+[:：]|(?:(?:so|thus|therefore|hence),?[ \t]*+)?"
    r"the\s++(?:final\s++)?answer\s++is\b:?)[*_`\s]*+([^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_HOP = re.compile(r"^[ \t>*_`#-]*+hop[ \t]*+\d*+[*_`\s]*+[:.)-][*_`\s]*+([^\n]*+)$", re.I | re.M)
_BAR = re.compile(r"\|")
_DASH = re.compile(r"\s[-–—]{1,2}>?(?=\s)")
_LABEL = re.compile(r"P\d+")
_CITED = re.compile(r"(?<!\s)\s*+(?:\[P\d++(?:\s*+,\s*+P\d++)*+\]|\(P\d++(?:\s*+,\s*+P\d++)*+\))")
_SEPARATOR = re.compile(r"(?<!\s)\s*+;\s++")


def parse_reply(reply: str, strategy: Strategy, labels: Mapping[str, str]) -> Draft:
    """Return the draft in a reply; `labels` maps the passage labels shown to chunk ids.

    What breaks off behind its trace is an abstention. One claims what its trace resolved, too,
    where no hop line says it.

    Raises:
        ModelReplyError: If it has nothing of what a reply has to have, and is no abstention either.
    """
    text = readable(reply)
    hops = parse_hops(text, labels)
    answers = parse_answers(text)
    known = tuple(hop for hop in hops if not _is_open(hop))
    patterns = parse_patterns(text)
    still_open = unresolved(patterns, parse_bindings(text), hops)
    if answers:
        return Draft(strategy, answers=answers, hops=known, still_open=still_open, raw=text)
    if not (hops or patterns or final_text(text) is not None or is_abstention(text.strip())):
        raise ModelReplyError(f"the reply has no FINAL ANSWER: {clipped(text.strip(), _SHOWN)!r}")
    missing = next(iter(still_open), None)
    return Draft(
        strategy,
        reason="unresolved_variable" if missing else "no_evidence",
        hops=(*known, *_told_by_trace(text, patterns, labels, known)),
        unresolved=missing.variables[0] if missing else None,
        missing=missing,
        still_open=still_open,
        raw=text,
    )


def parse_answers(reply: str) -> tuple[str, ...]:
    """Return the answers after the last `FINAL ANSWER:`, none for an abstention."""
    answer = final_text(reply)
    if answer is None or is_abstention(answer):
        return ()
    parts = (trimmed(part) for part in _SEPARATOR.split(answer))
    return tuple(dict.fromkeys(part for part in parts if part and not is_abstention(part)))


def parse_hops(reply: str, labels: Mapping[str, str]) -> tuple[HopClaim, ...]:
    """Return the hop lines `HOP n: subject | relation | object | P3` in order."""
    hops: list[HopClaim] = []
    for match in _HOP.finditer(reply):
        if len(hops) == _MAX_HOPS:
            break
        if len(match.group(1)) > _LONGEST_HOP:
            continue
        divider = _BAR if "|" in match.group(1) else _DASH
        fields = [field.strip(' \t*`"“”') for field in divider.split(match.group(1))]
        if len(fields) < 3:
            continue
        cited = _LABEL.findall(" ".join(fields[3:]))
        chunk_id = next((labels[label] for label in cited if label in labels), None)
        claim = HopClaim(fields[0], fields[1], fields[2].rstrip("."), chunk_id)
        if claim not in hops:
            hops.append(claim)
    return tuple(hops)


def _told_by_trace(
    text: str,
    patterns: Sequence[Pattern],
    labels: Mapping[str, str],
    hops: Sequence[HopClaim],
) -> tuple[HopClaim, ...]:
    told = [f" {name_key(end)} " for hop in hops for end in (hop.subject, hop.object)]
    return tuple(
        claim
        for claim in traced_claims(text, patterns, labels)
        # "Thomas Tucker" is told where "Rep. Thomas Tucker" is.
        if not all(
            any(f" {name_key(end)} " in one for one in told)
            for end in (claim.subject, claim.object)
        )
    )


def _is_open(hop: HopClaim) -> bool:
    return is_unbound(hop.subject) or is_unbound(hop.object)


def readable(reply: str) -> str:
    """Return a reply without what was thought aloud, fences, and most of one that ran away."""
    text = re.sub(r"<think>.*?(?:</think>|\Z)", "", reply, flags=re.DOTALL)
    text = "\n".join(line for line in text.splitlines() if not line.strip().startswith("```"))
    if len(text) <= _MAX_REPLY:
        return text
    half = _MAX_REPLY // 2
    return f"{text[:half]}\n{text[-half:]}"


def final_text(reply: str) -> str | None:
    """Return what stands after the last marker of an answer, None where no answer does."""
    matches = list(_FINAL.finditer(reply)) or list(_FALLBACK.finditer(reply))
    if not matches:
        return None
    last = matches[-1]
    answer = trimmed(last.group(1)) or trimmed(_next_line(reply[last.end() :]))
    is_placeholder = re.fullmatch(r"[<\[{].*[>\]}]", answer) is not None
    # A set of answers may be long, one answer that is so long is none.
    longest = max(map(len, _SEPARATOR.split(answer)))
    if is_placeholder or longest > LONGEST_ANSWER:
        return None
    return answer


def _next_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


def trimmed(answer: str) -> str:
    """Return an answer without the labels that it cites, decoration and its full stop."""
    text = _CITED.sub("", answer)
    text = text.strip(' \t*_`"“”')
    if text.endswith(".") and not re.search(r"(?:\b\w|\b(?:Jr|Sr|Inc|Ltd|Co|St|Mt|Corp))\.$", text):
        text = text[:-1]
    return text.strip(' \t*_`"“”')
