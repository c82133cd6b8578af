from __future__ import annotations

from dataclasses import replace

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.overtaken import namesake, overtaken
from hoptrail.core.types import TrailHop
from tests.unit.agents.conftest import index_of, titled

MAIL = (
    "28 September does not suit us. Could they come on 5 October instead?\n"
    "> The roofers will come on 28 September.\n"
)


QUESTION = "When will the roofers come?"
HOP = TrailHop(
    hop=1,
    claim="roofers will come on 28 September",
    subject="roofers",
    predicate="will come on",
    object="28 September",
    chunk_id="c1",
    quote="The roofers will come on 28 September.",
    start=MAIL.index("The roofers"),
)


def test_quoted_mail_is_overtaken_by_a_reply_that_names_another_date() -> None:
    reason = "the mail that answers it says 5 October"

    assert overtaken(QUESTION, [HOP], "28 September", index_of(MAIL)) == reason


def test_quoted_mail_stands_where_the_reply_names_no_other() -> None:
    reply = "Fine with us, 28 September.\n> The roofers will come on 28 September.\n"
    quoted = replace(HOP, start=reply.index("The roofers"))

    assert overtaken(QUESTION, [quoted], "28 September", index_of(reply)) is None


def test_mail_below_original_message_is_overtaken_as_well() -> None:
    text = MAIL.replace("> The", "-----Original Message-----\nThe")
    quoted = replace(HOP, start=text.index("The roofers"))

    assert overtaken(QUESTION, [quoted], "28 September", index_of(text)) == (
        "the mail that answers it says 5 October"
    )


def test_what_the_mail_itself_says_is_not_overtaken() -> None:
    own = replace(HOP, quote="28 September does not suit us.", start=0)

    assert overtaken(QUESTION, [own], "28 September", index_of(MAIL)) is None


OLD, NEW = "minutes-2024-02-13.md", "minutes-2024-05-14.md"


@pytest.mark.parametrize(
    ("newer", "reason"),
    [
        ("Present: Ida Bell (chair), Noel Carr, Una Shaw (treasurer)", f'"{NEW}" says Una Shaw'),
        ("Present: Ida Bell (chair), Noel Carr, Una Shaw", None),
    ],
)
def test_newer_text_overtakes_where_it_says_the_same_of_another(
    newer: str, reason: str | None
) -> None:
    older = "Present: Ida Bell (chair), Noel Carr (treasurer), Tom Reed"
    index = EvidenceIndex(titled({OLD: older, NEW: newer}))
    hop = replace(HOP, claim="Noel Carr is treasurer", chunk_id=OLD, quote=older, start=0)

    found = overtaken("Who is the treasurer?", [hop], "Noel Carr", index)

    assert found == (reason and f"the newer text {reason}")


def test_birth_of_another_of_the_family_is_not_that_of_the_named() -> None:
    hop = replace(
        HOP,
        claim="Edwin Hallam was born on 3 May 1948",
        subject="Edwin Hallam",
        predicate="was born on",
        object="3 May 1948",
    )

    assert namesake("When was Lucy Hallam born?", [hop]) == (
        "the passage says it of Edwin Hallam, not of Lucy Hallam"
    )
    assert namesake("When was Edwin Hallam born?", [hop]) is None
    assert namesake("When was Mr Hallam born?", [hop]) is None
    assert namesake("When was Hallam born?", [hop]) is None
    assert namesake("Which Hallam was born before The Hallam?", [hop]) is None


@pytest.mark.parametrize(("title", "is_other"), [("Mrs", False), ("Mr", True)])
def test_a_title_is_of_another_where_the_passage_speaks_of_him_or_her(
    title: str, is_other: bool
) -> None:
    quote = "She has worked here since 1998."
    hop = replace(HOP, subject="Martha Quill", claim=f"Martha Quill: {quote}", quote=quote)
    told = namesake(f"Since when has {title} Quill worked here?", [hop])
    assert (told is not None) is is_other
