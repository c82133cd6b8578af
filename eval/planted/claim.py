"""A claim with the passage that states it, or that was made not to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from hoptrail.core.types import JsonDict, Record
from hoptrail.eval.files.json_lines import read_json_lines

Kind = Literal[
    "true",
    "other_subject",
    "absent_subject",
    "other_object",
    "absent_object",
    "other_predicate",
    "swapped",
    "wrong_entity",
    "changed_number",
    "wrong_passage",
    "negated",
    "question",
    "heading",
    "table_header",
    "menu",
    "injected",
    "name_part",
    "number_row",
    "unjoined",
    "overturned",
]
"""`true`, or how a claim or its passage was corrupted; `docs/evaluation.md` describes each."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class PassageClaim(Record):
    """A claim, the passage that it rests on and the sentence of it that states the claim.

    `quote` stands in `passage` letter for letter. `title` is the passage's, empty for none.
    `beside` is a second passage that is read with it: with the step before this one, or, where its
    ends are empty, as evidence alone.
    """

    id: str
    doc_id: str
    title: str
    passage: str
    quote: str
    subject: str
    predicate: str
    object: str
    beside: PassageClaim | None = None


@dataclass(frozen=True, slots=True)
class PlantedClaim(Record):
    """A claim and its kind: `true` claims are stated by their passage, all others are not."""

    kind: Kind
    claim: PassageClaim

    def as_row(self) -> JsonDict:
        """Return kind and claim as one flat JSON object."""
        return {"kind": self.kind, **self.claim.to_json()}


def read_claims(path: Path) -> list[PassageClaim]:
    """Return the claims of a JSON Lines file with the fields of `PassageClaim`.

    Raises:
        InputError: If a line lacks a field, or its quote does not stand in its passage.
    """
    claims = []
    for fields in read_json_lines(path):
        texts: dict[str, Any] = {name: fields.text(name) for name in _REQUIRED}
        if texts["quote"] not in texts["passage"]:
            raise fields.error(
                "the quote does not stand in the passage", "copy it letter by letter"
            )
        title = fields.optional_text("title") or ""
        claims.append(PassageClaim(title=title, **texts))
    return claims


_REQUIRED = ("id", "doc_id", "passage", "quote", "subject", "predicate", "object")
