"""Delimited tables, JSON, notebooks and mails, beyond what the everyday documents hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.data_files import read_conversations, read_export
from hoptrail.indexing.loading.readers.registry import read_file


def read(tmp_path: Path, name: str, data: str) -> Content:
    path = tmp_path / name
    path.write_text(data, encoding="utf-8", newline="")
    return read_file(path)


def texts(content: Content) -> list[str]:
    return [block.text for block in content.blocks]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str, tmp_path: Path) -> None:
    rows = ["Berth", "Price"], ["Hall A", "1.200"], ["Hall B", "900"]
    data = "\r\n".join(delimiter.join(row) for row in rows)
    assert texts(read(tmp_path, "a.csv", data))[0] == "Berth: Hall A; Price: 1.200"


def test_a_table_of_one_column_is_a_list(tmp_path: Path) -> None:
    assert texts(read(tmp_path, "a.csv", "Oak\nLarch\n")) == ["Oak", "Larch"]


def doubtful(content: Content) -> list[str]:
    return [part for part, _ in content.left_out]


def test_a_row_whose_quote_never_closes_is_named(tmp_path: Path) -> None:
    data = 'Name,Note\nAnn,"never closes\nBob,ok\nCid,fine\n'
    assert doubtful(read(tmp_path, "a.csv", data)) == ["row 2"]


def test_a_row_whose_quote_closes_in_another_row_is_named(tmp_path: Path) -> None:
    data = 'Name,Note\nAnn,"never closes\nBob,"ok"\nCid,fine\n'
    assert doubtful(read(tmp_path, "a.csv", data)) == ["row 2"]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n"])
def test_a_last_row_whose_quote_never_closes_is_named(name: str, end: str, tmp_path: Path) -> None:
    data = f'name,age\nIda,3\n"broken,1{end}'.replace(",", "," if name == "a.csv" else "\t")
    assert doubtful(read(tmp_path, name, data)) == ["row 3"]


def test_a_cell_of_several_lines_that_never_closes_is_named(tmp_path: Path) -> None:
    data = 'Name,Note\nAnn,"said ""yes""\nand ""left""\n'
    assert doubtful(read(tmp_path, "a.csv", data)) == ["row 2"]


def test_five_rows_with_open_quotes_are_named_at_most(tmp_path: Path) -> None:
    data = "Name,Note\n" + 'Ann,"open\nBob,"ok"\n' * 7
    assert doubtful(read(tmp_path, "a.csv", data)) == ["row 2, 3, 4, 5, 6 and 2 more"]


@pytest.mark.parametrize(
    "data",
    [
        'Name,Address\nAnn,"12 Quay Street\nAlva"\n',
        'Name,Address\nAnn,"12 Quay Street, Alva"\nBob,"Mill Road\nBrin, by the weir"\n',
        'Name,Note\nAnn,"said ""yes""\nand left"\n',
        'Name,Size\nPipe,5" wide\nRod,6" wide\n',
        'Name,Size\nPipe,5"\nRod,"6"""\n',
        'Name,Note\nAnn,"and left\n"\n\n',
    ],
)
def test_cells_of_several_lines_and_marks_of_inches_are_not_named(
    tmp_path: Path, data: str
) -> None:
    assert doubtful(read(tmp_path, "a.csv", data)) == []


def test_items_of_a_json_list_have_numbers(tmp_path: Path) -> None:
    content = read(tmp_path, "a.json", '[{"name": "Oak"}, {"name": "Larch", "dry": true}]')
    assert [(block.text, block.place) for block in content.blocks] == [
        ("name: Oak", "item 1"),
        ("name: Larch; dry: yes", "item 2"),
    ]


def test_what_is_within_is_told_by_the_names_that_lead_to_it(tmp_path: Path) -> None:
    content = read(tmp_path, "a.json", '{"lift": {"motor": {"power": 118}, "tags": ["a", "b"]}}')
    assert texts(content) == ["lift, motor: power: 118", "lift, tags: a, b"]


def test_a_notebook_without_cells_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="format 4"):
        read(tmp_path, "a.ipynb", json.dumps({"worksheets": []}))


def test_a_mail_without_a_known_encoding_is_read(tmp_path: Path) -> None:
    mail = (
        "From: a@b.example\nSubject: Covers\nContent-Type: text/plain; charset=x-none\n\nAt noon."
    )
    content = read(tmp_path, "a.eml", mail)
    assert (content.title, texts(content)[-1]) == ("Covers", "At noon.")


def test_an_invitation_of_a_mail_is_read_as_its_event(tmp_path: Path) -> None:
    mail = (
        "From: ann@example.org\nSubject: Gala\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHi.\n--x\n"
        'Content-Type: text/calendar\nContent-Disposition: attachment; filename="gala.ics"\n\n'
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Gala\nDTSTART;VALUE=DATE:20261126\n"
        "END:VEVENT\nEND:VCALENDAR\n--x--\n"
    )
    text, places, _ = read(tmp_path, "a.eml", mail).joined()
    assert text.endswith("Event: Gala; Date: Thursday, 26 November 2026")
    assert places[-1][1] == "attachment gala.ics"


def test_attachments_that_are_no_text_are_named(tmp_path: Path) -> None:
    mail = (
        "From: a@b.example\nSubject: Covers\nMIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="x"\n\n--x\n\nSee the plan.\n--x\n'
        'Content-Type: application/pdf\nContent-Disposition: attachment; filename="plan.pdf"\n'
        "Content-Transfer-Encoding: base64\n\nJVBERg==\n--x--\n"
    )
    content = read(tmp_path, "a.eml", mail)
    assert "See the plan." in texts(content)
    ((part, reason),) = content.left_out
    assert part == "attachment plan.pdf"
    assert "application/pdf" in reason


SLACK = [
    {"type": "message", "user": "U1", "user_profile": {"real_name": "Ann"}, "text": "one",
     "ts": "1777910400.000100"},
    {"type": "message", "user": "U2", "user_profile": {"real_name": "Bo"}, "text": "two",
     "ts": "1777910460.000100"},
]  # fmt: skip
DISCORD = {
    "guild": {"name": "Harbour"},
    "messages": [
        {"timestamp": "2026-05-04T16:00:00.000+00:00", "content": "one", "author": {"name": "Ann"}},
        {"timestamp": "2026-05-04T16:01:00.000+00:00", "content": "two", "author": {"name": "Bo"}},
    ],
}
TELEGRAM = {
    "name": "Harbour",
    "messages": [
        {"type": "message", "date": "2026-05-04T16:00:00", "from": "Ann", "text": "one"},
        {"type": "service", "date": "2026-05-04T16:00:30", "action": "pin_message"},
        {"type": "message", "date": "2026-05-04T16:01:00", "from": "Bo",
         "text": ["t", {"type": "bold", "text": "wo"}]},
    ],
}  # fmt: skip
FACEBOOK = {
    "messages": [
        {"sender_name": "Bo", "timestamp_ms": 1777996860000, "content": "two"},
        {"sender_name": "Ann", "timestamp_ms": 1777910400000, "content": "one"},
    ]
}


@pytest.mark.parametrize("export", [SLACK, DISCORD, TELEGRAM, FACEBOOK])
def test_exports_of_chats_are_read(export: Any) -> None:
    first, second = read_export(export)
    assert (first.speaker, first.text, f"{first.moment.day} {first.moment.time}") == (
        "Ann",
        "one",
        "2026-05-04 16:00",
    )
    assert (second.speaker, second.text) == ("Bo", "two")


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "Ann", "born": 1921}, {"name": "Bo", "born": 1933}],
        {"messages": "none"},
        {"title": "Harbour"},
        [{"from": "Ann", "to": "Bo", "amount": 3, "date": "2026-05-04"}] * 3,
        7,
    ],
)
def test_other_json_is_no_conversation(value: Any) -> None:
    assert read_export(value) == []


def test_teams_names_who_wrote_and_its_marks_are_left_out() -> None:
    """As Microsoft Graph lists messages: the newest first, in HTML."""
    export = {
        "value": [
            {
                "createdDateTime": f"2026-05-04T09:{minute}:00Z",
                "from": {"user": {"displayName": name}},
                "body": {"contentType": "html", "content": f"<div><p>{text}</p></div>"},
            }
            for minute, name, text in (
                ("30", "Bo Lund", "On <b>12 May</b>."),
                ("10", "Ann", "When?"),
            )
        ]
    }
    assert [(one.speaker, one.text) for one in read_export(export)] == [
        ("Ann", "When?"),
        ("Bo Lund", "On 12 May ."),
    ]


def test_the_conversations_of_a_skype_or_teams_export_are_told_apart() -> None:
    def message(name: str, text: str, minute: int) -> dict[str, str]:
        moment = f"2026-05-04T09:{minute}:00.123Z"
        kind = {"messagetype": "RichText", "originalarrivaltime": moment}
        return {**kind, "displayName": name, "from": "8:live:x", "content": text}

    export = {
        "userId": "8:live:ann",
        "conversations": [
            {
                "id": "19:a",
                "displayName": "Yard",
                "MessageList": [message("Bo Lund", "Yes &amp; no", 30), message("Ann", "Now?", 10)],
            },
            {"id": "48:calls", "MessageList": []},
        ],
    }
    ((name, postings),) = read_conversations(export)
    assert name == "Yard"
    assert [(one.speaker, one.text) for one in postings] == [
        ("Ann", "Now?"),
        ("Bo Lund", "Yes & no"),
    ]


def test_slack_messages_are_told_by_the_names_of_their_users() -> None:
    names = {"U01": "Ida Holm", "U02": "Tor Lie"}
    export = [
        {"type": "message", "user": "U01", "ts": "1777888800.0001", "text": text}
        for text in (
            "<@U02> and <@U09|ann>, see <https://e.org/p|the plan> &amp; <#C1|yard>, <!here>",
            "a < b <unclosed",
        )
    ]
    joined = {
        "subtype": "channel_join",
        "user": "U02",
        "ts": "1777888900.1",
        "text": "<@U02> joined",
    }
    said = [(one.speaker, one.text) for one in read_export([*export, joined], names)]
    assert said == [
        ("Ida Holm", "@Tor Lie and @ann, see the plan (https://e.org/p) & #yard, @here"),
        ("Ida Holm", "a < b <unclosed"),
        ("", "@Tor Lie joined"),
    ]
