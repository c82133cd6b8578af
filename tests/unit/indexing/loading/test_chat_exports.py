from __future__ import annotations

from typing import Any

import pytest

from hoptrail.indexing.loading.chat_exports import read_conversations, read_export

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
