"""Messages and hints of the errors."""

from __future__ import annotations

import pytest

from hoptrail.core import errors
from hoptrail.core.errors import BudgetExceededError, HoptrailError, InputError, UnknownNameError


def test_an_error_reads_as_message_and_hint() -> None:
    error = HoptrailError("no model is set", hint="pass --model")
    assert str(error) == "no model is set (pass --model)"
    assert (error.message, error.hint) == ("no model is set", "pass --model")


def test_an_unknown_name_suggests_a_close_one() -> None:
    assert "did you mean 'vector'?" in str(
        UnknownNameError("retriever", "vectr", ["vector", "ket"])
    )


def test_an_unknown_name_without_a_close_one_lists_what_is_known() -> None:
    assert str(UnknownNameError("preset", "zzz", ["b", "a"])).endswith("(known: a, b)")
    assert str(UnknownNameError("preset", "zzz", [])).endswith("(none is known)")


def test_a_long_list_of_names_is_cut() -> None:
    message = str(UnknownNameError("document", "zzz", [f"{i:03}" for i in range(500)]))
    assert message.endswith("019, ...)")


@pytest.mark.parametrize(
    ("path", "line", "message"),
    [
        (None, None, "empty"),
        ("a.jsonl", None, "a.jsonl: empty"),
        ("a.jsonl", 3, "a.jsonl:3: empty"),
    ],
)
def test_an_input_error_names_file_and_line(
    path: str | None, line: int | None, message: str
) -> None:
    assert str(InputError("empty", path=path, line=line)) == message


def test_a_spent_budget_carries_the_stop_reason() -> None:
    assert BudgetExceededError("budget_calls", "8 calls were made").kind == "budget_calls"


def test_every_error_has_its_own_code() -> None:
    classes = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, HoptrailError)
    ]
    assert len({cls.code for cls in classes}) == len(classes)


def test_what_an_error_quotes_of_others_stays_in_its_line() -> None:
    error = HoptrailError("no such column: a\r\nb", hint="ask\u2028again")
    assert str(error) == "no such column: a b (ask again)"
    assert error.args == ("no such column: a b",)
