"""The drill-down of a page: each question with what was found and answered in each run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hoptrail.core.types import JsonDict
from hoptrail.eval.report.labels import label
from hoptrail.eval.report.markup import Html, tag
from hoptrail.eval.report.numbers import figure
from hoptrail.eval.report.outcomes import Outcome, outcome
from hoptrail.eval.report.tables import table

_PAGE_CHARACTERS = 1_500_000
_LONGEST_PASSAGE = 500
_LONGEST_EVIDENCE = 3000
_SHOWN_PASSAGES = 10
_SUPPORT = {"stated": "supported", "partly": "partly supported", "none": "not supported"}


@dataclass(frozen=True, slots=True)
class Room:
    """How many characters of a passage, and of the rendered evidence, fit on the page."""

    passage: int
    evidence: int

    @classmethod
    def for_rows(cls, rows: int) -> Room:
        """Return the room of one of so many rows: a page of any run stays small."""
        room = _PAGE_CHARACTERS // max(1, rows)
        passage = min(_LONGEST_PASSAGE, room // 2 // _SHOWN_PASSAGES)
        return cls(passage, min(_LONGEST_EVIDENCE, room // 2))


def question_list(names: Sequence[str], rows: Sequence[Sequence[JsonDict]]) -> Iterator[Html]:
    """Yield one `details` element per question.

    Args:
        names: The runs' names.
        rows: Per question its row in each run.
    """
    room = Room.for_rows(len(rows) * len(names))
    for of_question in rows:
        yield _question(names, of_question, room)


def _question(names: Sequence[str], rows: Sequence[JsonDict], room: Room) -> Html:
    outcomes = [outcome(row) for row in rows]
    is_flip = len({found.is_good for found in outcomes}) > 1
    first = rows[0]
    kind = " · ".join(
        [
            *([str(first["type"])] if first.get("type") else []),
            *([f"{first['hops']} hops"] if first.get("hops") else []),
        ]
    )
    return tag(
        "details",
        tag(
            "summary",
            (
                tag("span", found.label, class_=f"pill {found.key}", title=name)
                for found, name in zip(outcomes, names, strict=True)
            ),
            tag("span", first["question"], class_="asked"),
            tag("span", f"{first['id']}{f' · {kind}' if kind else ''}", class_="id"),
        ),
        tag(
            "div",
            _fact("gold", "; ".join(first["gold"]["answers"]) or "none"),
            (
                _run(name if len(names) > 1 else None, row, found, room)
                for name, row, found in zip(names, rows, outcomes, strict=True)
            ),
            class_="body",
        ),
        class_="question",
        data_outcomes=" ".join(found.key for found in outcomes),
        data_flip=is_flip,
    )


def _run(name: str | None, row: JsonDict, found: Outcome, room: Room) -> Html:
    failure = row["failure"]
    return tag(
        "section",
        tag("h4", name) if name else None,
        _fact("outcome", f"{found.label}: {found.description}"),
        _answer(row),
        _fact("failure", f"{failure['code']}: {failure['message']}") if failure else None,
        _scores(row["scores"]),
        _trail(row.get("trail") or []),
        _passages(row, room.passage),
        _evidence(row.get("context") or "", room.evidence),
        _usage(row.get("usage") or {}),
    )


def _fact(name: str, value: str) -> Html:
    return tag("p", tag("span", name, class_="name"), " ", value, class_="fact")


def _answer(row: JsonDict) -> list[Html]:
    if row["scores"].get("accuracy") is None:
        return []
    if row.get("abstained"):
        return [_fact("answer", f"none ({row.get('abstain_reason') or 'abstained'})")]
    facts = [_fact("answer", str(row.get("answer") or "none"))]
    others = [str(candidate["text"]) for candidate in row.get("answers") or []][1:]
    if others:
        facts.append(_fact("further answers", "; ".join(others)))
    return facts


def _scores(scores: JsonDict) -> Html:
    return tag(
        "ul",
        (
            tag("li", label(name), " ", tag("b", figure(value)))
            for name, value in scores.items()
            if value is not None
        ),
        class_="scores",
    )


def _trail(hops: Sequence[JsonDict]) -> list[Html]:
    if not hops:
        return []
    return [tag("h5", "Trail"), tag("ol", map(_hop, hops), class_="trail")]


def _hop(hop: JsonDict) -> Html:
    support = str(hop.get("support") or ("stated" if hop.get("supported") else "none"))
    triple = " | ".join(str(hop[part]) for part in ("subject", "predicate", "object") if hop[part])
    return tag(
        "li",
        tag(
            "span",
            _SUPPORT[support],
            class_=f"mark {'yes' if support == 'stated' else 'no'}",
        ),
        " ",
        str(hop.get("claim") or ""),
        tag("code", triple) if triple else None,
        tag("blockquote", hop["quote"], tag("cite", str(hop.get("doc_id") or "")))
        if hop.get("quote")
        else None,
    )


def _passages(row: JsonDict, room: int) -> list[Html]:
    passages = row.get("passages") or []
    gold = row["gold"]["documents"]
    found = {passage["doc_id"] for passage in passages}
    missing = [document for document in gold if document not in found]
    items = (_passage(passage, passage["doc_id"] in gold, room) for passage in passages)
    parts = []
    if passages:
        parts += [tag("h5", "Passages"), tag("ol", items, class_="passages")]
    if missing:
        parts.append(_fact("gold documents not found", ", ".join(missing)))
    return parts


def _passage(passage: JsonDict, is_gold: bool, room: int) -> Html:
    return tag(
        "li",
        tag("b", passage.get("title") or passage["doc_id"]),
        " ",
        tag("span", "gold", class_="mark yes") if is_gold else None,
        tag("span", f" {passage['doc_id']}", class_="id"),
        tag("p", _shortened(passage.get("text") or "", room)),
        class_="gold" if is_gold else None,
        value=passage.get("rank"),
    )


def _evidence(context: str, room: int) -> Html | None:
    if not context:
        return None
    text = _shortened(context, room)
    return tag("details", tag("summary", "Evidence as rendered"), tag("pre", text))


def _usage(usage: JsonDict) -> Html | None:
    nodes: JsonDict = usage.get("by_node") or {}
    if not nodes:
        return None
    columns = ("node", "calls", "prompt tokens", "completion tokens", "seconds", "dollars")
    rows = (tag("tr", _usage_cells(name, spent)) for name, spent in nodes.items())
    whole = tag("tr", _usage_cells("all", usage), class_="first")
    return tag(
        "details",
        tag("summary", "Usage by node"),
        table(columns, [*rows, whole], caption="Usage by node"),
    )


def _usage_cells(name: str, spent: JsonDict) -> Iterable[Html]:
    yield tag("th", name, scope="row")
    for amount in ("llm_calls", "prompt_tokens", "completion_tokens", "seconds", "usd"):
        yield tag("td", figure(spent.get(amount), amount), class_="number")


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[:room].rstrip()} …"
