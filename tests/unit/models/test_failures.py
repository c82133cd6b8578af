from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from hoptrail.models.failures import (
    Cause,
    DroppedStreamError,
    Failure,
    advise,
    failure_of,
    parse_retry_after,
    tell,
)

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


class ProviderError(Exception):
    """Stands for any provider's error with a status."""

    request: Any

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


@pytest.mark.parametrize(
    ("status", "message", "cause"),
    [
        (401, "no", "key_refused"),
        (402, "pay", "out_of_credit"),
        (403, "no", "key_refused"),
        (404, "no such model", "not_found"),
        (422, "bad field", "bad_request"),
        (429, "slow down", "too_many"),
        (429, "you exceeded your current quota", "out_of_credit"),
        (503, "overloaded", "server_error"),
    ],
)
def test_the_cause_is_read_from_the_status(status: int, message: str, cause: str) -> None:
    error = ProviderError(status, {"error": {"message": message}})
    error.args = (message,)
    assert failure_of(error).cause == cause


@pytest.mark.parametrize(
    ("inner", "cause"),
    [
        (ConnectionRefusedError(111, "refused"), "no_server"),
        (ExceptionGroup("each address", [ConnectionRefusedError(111, "refused")]), "no_server"),
        (socket.gaierror(-2, "Name or service not known"), "no_host"),
        (ssl.SSLError(1, "wrong version number"), "not_secure"),
        (OSError("gone"), "lost"),
    ],
)
def test_the_cause_of_a_lost_connection_is_found_below_it(inner: Exception, cause: str) -> None:
    error = ConnectionError("Connection error.")
    error.__context__ = OSError("All connection attempts failed")
    error.__context__.__cause__ = inner
    assert failure_of(error).cause == cause


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


def test_a_key_is_not_shown_in_part_where_a_long_message_is_cut() -> None:
    message = "x" * 295 + " sk-secret-1 may not use it"
    error = ProviderError(404, {"error": {"message": message}})
    error.request = SimpleNamespace(headers={"authorization": "Bearer sk-secret-1"})

    assert "sk-" not in failure_of(error).reason


@pytest.mark.parametrize("cause", get_args(Cause))
def test_every_cause_is_told_in_words_of_its_own_with_what_to_do(cause: Cause) -> None:
    told = tell(Failure("why", status=401, cause=cause), "model x")
    others = {tell(Failure("why", status=401, cause=one), "model x") for one in get_args(Cause)}

    assert "model x" in told
    assert len(others) == len(get_args(Cause))
    assert advise(Failure("why", cause=cause))


def test_a_refused_key_is_told_without_the_servers_words() -> None:
    failure = Failure("HTTP 401: no sk-secret", status=401, cause="key_refused")
    assert tell(failure, "model x") == "the server refuses the key of model x (HTTP 401)"


def test_several_tries_are_counted() -> None:
    assert tell(Failure("", cause="late"), "model x", 3).endswith("after 3 tries")


def test_the_variables_of_key_and_address_are_named_where_they_are_known() -> None:
    key, address = Failure("", cause="key_refused"), Failure("", cause="not_found")
    assert "MY_KEY" in advise(key, key_variable="MY_KEY")
    assert advise(address, server_variable="MY_URL") == "check the model's name and MY_URL"
    assert advise(address) == "check the model's name"


def test_a_failure_that_knows_better_what_to_do_is_believed() -> None:
    assert advise(Failure("", hint="wait", cause="lost")) == "wait"
