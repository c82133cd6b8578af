from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from hoptrail.models.failures import DroppedStreamError, failure_of, parse_retry_after

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


class ProviderError(Exception):
    """Stands for any provider's error with a status."""

    def __init__(self, status: int, body: Any = None, headers: Any = None) -> None:
        super().__init__(f"status {status}")
        self.status_code = status
        self.body = body
        self.response = SimpleNamespace(headers=headers or {})


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 529])
def test_overload_and_server_errors_are_transient(status: int) -> None:
    assert failure_of(ProviderError(status)).transient


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_refusals_are_not_transient(status: int) -> None:
    failure = failure_of(ProviderError(status))
    assert not failure.transient
    assert failure.status == status


@pytest.mark.parametrize(
    "error", [TimeoutError(), ConnectionResetError("reset"), DroppedStreamError("early")]
)
def test_timeouts_and_lost_connections_are_transient(error: Exception) -> None:
    assert failure_of(error).transient


def test_any_other_exception_is_not_transient_and_keeps_its_text() -> None:
    failure = failure_of(KeyError("choices"))
    assert not failure.transient
    assert "choices" in failure.reason


def test_the_servers_message_is_shown_on_one_line() -> None:
    failure = failure_of(ProviderError(400, {"error": {"message": "too\nlong"}}))
    assert failure.reason == "HTTP 400: too long"


def test_a_tool_call_that_groq_withheld_is_kept_as_written() -> None:
    body = {"error": {"message": "Failed to call", "failed_generation": '{"name": "Ada"'}}
    assert failure_of(ProviderError(400, body)).written == '{"name": "Ada"'


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert parse_retry_after(headers, NOW) == seconds
