from __future__ import annotations

from typing import Any

import pytest

from hoptrail.indexing.loading.conversations.chat_exports import read_export

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
