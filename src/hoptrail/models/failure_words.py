"""How a failed model call is told, in an answer, an error and `hoptrail doctor` alike."""

from __future__ import annotations

from types import MappingProxyType

from hoptrail.models.failures import Cause, Failure

_WORDS: MappingProxyType[Cause, str] = MappingProxyType(
    {
        "key_refused": "the server refuses the key of {called}",
        "not_found": "{called} is not known at its server's address",
        "too_many": "{called} is asked too often",
        "out_of_credit": "the account of {called} has no credit or quota left",
        "bad_request": "the server of {called} refuses the request",
        "server_error": "the server of {called} has an error",
        "late": "{called} sent no reply in time",
        "no_server": "no server answers for {called}",
        "no_host": "the server of {called} is not found by its name",
        "not_secure": "no secure connection to the server of {called} can be made",
        "lost": "the connection to the server of {called} failed",
        "other": "{called} is unavailable",
    }
)
_ADVICE: MappingProxyType[Cause, str] = MappingProxyType(
    {
        "key_refused": "check {key}, and that it may use this model",
        "not_found": "check the model's name{and_address}",
        "too_many": "try again later, or lower the concurrency",
        "out_of_credit": "see the account's plan and billing, or take another model",
        "bad_request": "see the model's limits",
        "server_error": "try again later, or see the server's log{and_address}",
        "late": "try again later, or raise HOPTRAIL_TIMEOUT_SECONDS",
        "no_server": "start it, or check the network{and_address}",
        "no_host": "check the network{and_address}",
        "not_secure": "check its certificate{and_address}",
        "lost": "check the network{and_address}",
        "other": "check the network{and_address}",
    }
)


def tell(failure: Failure, called: str, tries: int = 1) -> str:
    """Return in one line what went wrong, with the server's own words where they show no key.

    Args:
        failure: The last one.
        called: Who was called, such as "model openai:gpt-4o-mini".
        tries: How often.
    """
    words = _WORDS[failure.cause].format(called=called)
    if tries > 1:
        words += f", after {tries} tries"
    if failure.cause == "key_refused":  # some servers repeat the key
        return f"{words} (HTTP {failure.status})"
    return f"{words}: {failure.reason}" if failure.reason else words


def advise(failure: Failure, *, key_variable: str = "", server_variable: str = "") -> str:
    """Return what to do next about a failure.

    Args:
        failure: The last one.
        key_variable: Environment variable of the key; empty if not known.
        server_variable: Environment variable of the server's address; empty if there is none.
    """
    if failure.hint:
        return failure.hint
    return _ADVICE[failure.cause].format(
        key=key_variable or "the key",
        and_address=f" and {server_variable}" if server_variable else "",
    )
