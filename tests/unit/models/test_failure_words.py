from __future__ import annotations

from typing import get_args

import pytest

from hoptrail.models.failure_words import advise, tell
from hoptrail.models.failures import Cause, Failure


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
