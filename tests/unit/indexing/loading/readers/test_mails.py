from __future__ import annotations

import json
from mailbox import mbox
from pathlib import Path

import pytest

from hoptrail.core.filter_text import parse_filter
from hoptrail.core.types import Document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.indexing.loading.files import Skipped
from hoptrail.indexing.loading.readers.mails import read_mails

TWO_MAILS = b"""From ann@a.example Mon May  4 08:00:00 2026
Message-ID: <m1@a.example>
From: ann@a.example
Subject: Boat repair
Date: Mon, 04 May 2026 10:00:00 +0200

The Heron is repaired in Oakridge.

>From now on Bob Stone directs Alder Foods.

From bob@a.example Mon May  4 09:00:00 2026
From: bob@a.example
Subject: Re: Boat repair

Thanks.
"""


def load(path: Path, data: bytes) -> tuple[list[Document], list[Skipped]]:
    path.write_bytes(data)
    items = list(load_documents([path]))
    documents = [item for item in items if isinstance(item, Document)]
    return documents, [item for item in items if isinstance(item, Skipped)]


def test_each_mail_is_a_document_with_its_own_title_and_date(tmp_path: Path) -> None:
    (first, second), skipped = load(tmp_path / "team.mbox", TWO_MAILS)
    assert (first.id, first.title) == ("team/m1@a.example", "Boat repair")
    assert first.metadata["date"] == "2026-05-04T08:00:00"
    assert (second.title, second.text.endswith("Thanks.")) == ("Re: Boat repair", True)
    assert not skipped


def test_who_wrote_to_whom_about_what_are_fields(tmp_path: Path) -> None:
    mail = b"""From: Ann Lee <ann@a.example>
To: Bob Stone <bob@a.example>, crew@a.example
Cc: "Holm, Ida" <ida@b.example>
Subject: Boat
 repair
Date: Mon, 04 May 2026 10:00:00 +0200

The Heron is repaired in Oakridge.
"""
    (document,), _ = load(tmp_path / "boat.eml", mail)
    fields = document.metadata
    assert json.loads(fields["from"]) == ["ann@a.example", "Ann Lee"]
    assert json.loads(fields["to"]) == [
        *("bob@a.example", "Bob Stone", "crew@a.example", "ida@b.example", "Holm, Ida")
    ]
    assert (fields["subject"], fields["date"]) == ("Boat repair", "2026-05-04T08:00:00")
    asked = parse_filter('from = "Ann Lee" and to = bob@a.example and subject like *repair')
    assert asked.allows(fields)


def test_a_marked_line_is_told_as_it_was_written(tmp_path: Path) -> None:
    (first, _), _ = load(tmp_path / "team.mbox", TWO_MAILS)
    assert first.text.endswith("\n\nFrom now on Bob Stone directs Alder Foods.")


def test_a_mail_without_an_id_keeps_its_own_where_the_mails_before_it_go(tmp_path: Path) -> None:
    (_, second), _ = load(tmp_path / "team.mbox", TWO_MAILS)
    (alone,), _ = load(tmp_path / "team.mbox", TWO_MAILS[TWO_MAILS.index(b"From bob") :])
    assert alone.id == second.id


def test_what_is_no_mail_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    data = TWO_MAILS + b"\nFrom nobody\nno header here\n"
    documents, (skipped,) = load(tmp_path / "team.mbox", data)
    assert len(documents) == 2
    assert skipped.path.endswith("team.mbox, mail 3")
    assert "not a mail" in skipped.reason


def test_a_mailbox_without_mails_is_named(tmp_path: Path) -> None:
    documents, (skipped,) = load(tmp_path / "team.mbox", b"a list of cheeses\n")
    assert (documents, skipped.reason) == ([], "holds no mail")


def test_of_mailboxes_with_one_name_the_second_is_called_by_its_path(tmp_path: Path) -> None:
    for folder in ("2023", "2024"):
        (tmp_path / "post" / folder).mkdir(parents=True)
        (tmp_path / "post" / folder / "Inbox.mbox").write_bytes(TWO_MAILS)
    (tmp_path / "post/2024/Inbox.jsonl").write_text('{"id": "n1", "text": "Ann left."}')

    items = list(load_documents([tmp_path / "post"]))

    assert [item for item in items if isinstance(item, Skipped)] == []
    ids = [item.id for item in items if isinstance(item, Document)]
    assert [one for one in ids if one.endswith(("m1@a.example", "n1"))] == [
        "Inbox/m1@a.example",
        "post/2024/Inbox.jsonl/n1",
        "post/2024/Inbox.mbox/m1@a.example",
    ]


def test_a_mailbox_beyond_the_limit_of_a_file_is_read_a_mail_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit holds for each mail; a line without an end is no way around it."""
    for module in ("documents", "readers.mails", "readers.raw_bytes"):
        monkeypatch.setattr(f"hoptrail.indexing.loading.{module}.MAX_FILE_BYTES", 1000)
    monkeypatch.setattr("hoptrail.indexing.loading.readers.mails._READ", 100)
    head = b"From eve@a.example Mon May  4 07:00:00 2026\nSubject: Large\n\n"
    others = b"".join(TWO_MAILS.replace(b"m1@", b"%d@" % at).replace(b"Thanks", b"%d" % at)
                      for at in range(4))  # fmt: skip
    documents, (skipped,) = load(tmp_path / "team.mbox", head + b"x" * 5000 + b"\n\n" + others)
    assert len(documents) == 8
    assert skipped.path.endswith("team.mbox, mail 1")
    assert skipped.reason == "a mail of more than the limit of 0 MiB"


def test_mails_are_those_that_pythons_reader_finds(tmp_path: Path) -> None:
    path = tmp_path / "team.mbox"
    path.write_bytes(b"preamble\n" + TWO_MAILS + b"From x\nFrom y\n\nSubject: a\n\nb\n\n\n")
    box = mbox(path, create=False)
    expected = [box.get_bytes(key).replace(b"\n>From ", b"\nFrom ") for key in box.iterkeys()]
    box.close()
    assert [raw for _, raw in read_mails(path)] == expected
