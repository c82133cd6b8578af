"""Read an answerer's reply: strict in form asked for, lenient in form accepted.

The triple patterns and variable bindings of a SPARQL-style chain of thought follow Zarrinkia, "The
Reasoning Bottleneck in Graph-RAG", 2026, section 3.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

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

MAX_PATTERNS = 4
_QUOTES = re.compile(r"[\"“”<>]")
_MAX_LINE = 400

_TERM = r"""\?\w+|"[^"]+"|“[^”]+”|'[^']+'|<[^<>]+>"""
_TERMS = rf"(?:{_TERM})(?:\s(?:and|or|&)\s(?:{_TERM}))*"  # "Ann Lee" and "Bo Reed"
_PATTERN = re.compile(rf"^({_TERMS})\s+(\S.*?)\s+({_TERMS})$")
_DIVIDER = re.compile(r"\s?\|\s?|\s(?:[-–—]{1,2}>?|→)\s")
_BINDING = re.compile(r"^\W*(\?\w+)[*`_]*\s*(?::=|=|->|→|:|\bis\b)\s*(.+)$", re.IGNORECASE)
_PASSAGE = re.compile(r"(?<!\s)\s*+(?:\||[(\[])?\s*+\[?P\d+(?:\s*,\s*P\d+)*\]?[)\]]?\s*\.?$")
_NO_PASSAGE = re.compile(r"\|\s?[-–—]{1,2}\s?$")

_VARIABLE = re.compile(r"\?\w+")


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


def parse_patterns(reply: str) -> tuple[Pattern, ...]:
    """Return the first triple patterns of a reply, at most `MAX_PATTERNS`."""
    patterns: list[Pattern] = []
    for line in _statements(reply):
        terms = _terms(line)
        if terms is None or not (terms[0].startswith("?") or terms[2].startswith("?")):
            continue
        pattern = Pattern(_bare(terms[0]), _plain_predicate(terms[1]), _bare(terms[2]))
        if pattern not in patterns:
            patterns.append(pattern)
        if len(patterns) == MAX_PATTERNS:
            break
    return tuple(patterns)


def parse_bindings(reply: str) -> dict[str, str | None]:
    """Return the traced value of each variable, None where it is said to be unresolved.

    The last line about a variable counts.
    """
    bindings: dict[str, str | None] = {}
    for variable, told in _binding_lines(reply):
        value = _NO_PASSAGE.sub("", _PASSAGE.sub("", told).strip()).strip(" \t*`.\"'“”|")
        bindings[variable] = None if is_unbound(value) else value
    return bindings


def unresolved(
    patterns: Sequence[Pattern], bindings: Mapping[str, str | None], hops: Sequence[HopClaim]
) -> tuple[Pattern, ...]:
    """Return the patterns with a variable without value, in order, known values filled in.

    Without such patterns the hops with an unknown end stand in for them.
    """
    known = _known(bindings)
    bound = [one for pattern in patterns for one in _of_each(pattern.bind(known))]
    open_patterns = tuple(pattern for pattern in bound if pattern.variables)
    return open_patterns[:MAX_PATTERNS] or open_hops(hops)


def _of_each(pattern: Pattern) -> list[Pattern]:
    """Return a pattern for each of several values: "Ann Lee; Bo Reed" are looked up apart."""
    return [
        Pattern(subject, pattern.predicate, object_)
        for subject in _values(pattern.subject)
        for object_ in _values(pattern.object)
    ]


def _values(term: str) -> list[str]:
    return [one.strip() for one in term.split(";") if one.strip()] or [term]


def traced_claims(
    reply: str, patterns: Sequence[Pattern], labels: Mapping[str, str]
) -> tuple[HopClaim, ...]:
    """Return the patterns whose variables all have a value, as facts of the passages named there.

    Args:
        reply: With its trace.
        patterns: Of the same reply.
        labels: Chunk ids by the passage labels that the prompt showed.
    """
    known = _known(parse_bindings(reply))
    cited = {
        variable: labels[label]
        for variable, told in _binding_lines(reply)
        for label in _LABEL.findall(told)[-1:]
        if label in labels
    }
    claims = []
    for pattern in patterns:
        bound = pattern.bind(known)
        if not bound.variables:
            # Variables are found in order: the passage of the last one states the pattern.
            source = next((cited[name] for name in pattern.variables[::-1] if name in cited), None)
            claims.append(HopClaim(bound.subject, bound.predicate, bound.object, source))
    return tuple(claims)


def _binding_lines(reply: str) -> Iterator[tuple[str, str]]:
    """Yield each variable of a trace and what stands behind it on its line."""
    for line in reply.splitlines():
        match = _BINDING.match(line.strip()) if len(line) <= _MAX_LINE else None
        if match is not None:
            yield match.group(1), match.group(2)


def _known(bindings: Mapping[str, str | None]) -> dict[str, str]:
    return {variable: value for variable, value in bindings.items() if value is not None}


def _terms(line: str) -> tuple[str, str, str] | None:
    """Return the three terms of a pattern: names in quotes, or all three divided by lines."""
    divided = _DIVIDER.split(line)
    if len(divided) == 3 and not divided[0].casefold().startswith("hop "):
        return divided[0], divided[1], divided[2]
    match = _PATTERN.match(line)
    return (match[1], match[2], match[3]) if match else None


def _statements(reply: str) -> list[str]:
    lines: list[str] = []
    for line in reply.splitlines():
        if len(line) > _MAX_LINE:
            continue
        body = re.sub(r"^.*\{|\}.*$", "", line)
        parts = re.split(r"(?:(?<=[\w\"'”>])|\s)[.;]\s+(?=[?\"“'<])", f"{body} ")
        lines.extend(re.sub(r"^[-*\d.)\s]+(?=[?\"“'<])|[\s.;]+$", "", part) for part in parts)
    return [line.strip(" `") for line in lines if line.strip(" `")]


def _bare(term: str) -> str:
    return term if term.startswith("?") else _QUOTES.sub("", term.strip("' "))


def _plain_predicate(predicate: str) -> str:
    bare = predicate.strip("`\"'“”<>|: -–—").rpartition(":")[2]
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", bare)
    told = " ".join(_QUOTES.sub("", spaced).split())
    return told if _QUOTES.search(bare) else told.lower()  # a name in it keeps its capitals


def open_hops(hops: Iterable[HopClaim]) -> tuple[Pattern, ...]:
    """Return a pattern for each hop with an unknown end, in order.

    An end that a reply names as a variable keeps that name. Else each unknown has a name of its
    own, for two may be two things; but a hop that says neither end goes on from what the hop before
    left open.
    """
    patterns: list[Pattern] = []
    before = ""
    for hop in hops:
        is_open = is_unbound(hop.object)
        if not (is_open or is_unbound(hop.subject)):
            before = ""
            continue
        fresh = f"?x{len(patterns) + 1}"
        subject = _end(hop.subject, (before if is_open else "") or fresh)
        object_ = _end(hop.object, f"{fresh}b" if subject == fresh else fresh)
        patterns.append(Pattern(subject, hop.predicate, object_))
        before = object_ if is_open else ""
    return tuple(dict.fromkeys(patterns))


def _end(end: str, unknown: str) -> str:
    """Return an end as a pattern has it; `unknown` where it names no thing and no variable."""
    return end if not is_unbound(end) or _VARIABLE.fullmatch(end) else unknown
