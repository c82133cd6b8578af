import io
import sys

import pytest

from hoptrail.cli.options import context_fields, parse_model, read_question
from hoptrail.core.errors import InputError, SettingsError, UnknownNameError


@pytest.mark.parametrize(
    ("assignment", "value"),
    [
        ("theta=0.25", 0.25),
        ("k=7", 7),
        ("compress=true", True),
        ("retriever=bm25", "bm25"),
        ("model=openai:gpt=4", "openai:gpt=4"),
        ("retriever=", ""),
        ("retriever=null", None),
    ],
)
def test_a_value_is_a_json_scalar_or_else_a_string(assignment: str, value: object) -> None:
    assert list(context_fields([assignment]).values()) == [value]


@pytest.mark.parametrize("assignment", ["theta", "=3", " =3"])
def test_an_assignment_without_name_or_value_is_refused(assignment: str) -> None:
    with pytest.raises(SettingsError, match="--set"):
        context_fields([assignment])


def test_a_named_option_wins_over_set() -> None:
    assert context_fields(["budget=100"], budget=200) == {"budget": 200}


def test_an_option_that_was_not_given_leaves_its_field_alone() -> None:
    assert context_fields(["budget=100"], budget=None, preset=None) == {"budget": 100}


def test_models_are_set_for_all_roles_or_for_one() -> None:
    fields = context_fields(None, models=["groq:small", "answerer=openai:large"])
    assert fields == {"model": "groq:small", "models": {"answerer": "openai:large"}}


def test_model_by_role_adds_to_the_models_of_set() -> None:
    fields = context_fields(['models={"router": "groq:a"}'], models=["answerer=groq:b"])
    assert fields["models"] == {"router": "groq:a", "answerer": "groq:b"}


def test_an_equals_sign_inside_a_model_name_is_no_role() -> None:
    assert parse_model("openai:org/model=v2") == (None, "openai:org/model=v2")


def test_an_unknown_role_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="answerer"):
        parse_model("answrer=groq:b")


def test_an_empty_model_is_refused() -> None:
    with pytest.raises(SettingsError, match="names no model"):
        parse_model("router=")


def test_entries_of_a_table_are_set_one_by_one() -> None:
    fields = context_fields(["parameters.alpha=0.5", "parameters.decay=0.8", "k=3"])

    assert fields == {"parameters": {"alpha": 0.5, "decay": 0.8}, "k": 3}


def feed(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_an_argument_is_the_question() -> None:
    assert read_question(" Who? Ann ") == "Who? Ann"


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    feed("\ufeffWer gründete die Werft?\n".encode(), monkeypatch)
    assert read_question("-") == "Wer gründete die Werft?"


@pytest.mark.parametrize("content", [b"", b" \n", b"question " * 20_000, b"\xff\xfe\xfa"])
def test_unusable_standard_input_is_refused(
    content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed(content, monkeypatch)
    with pytest.raises(InputError):
        read_question("-")


def test_an_argument_that_is_not_text_is_refused() -> None:
    with pytest.raises(InputError, match="UTF-8"):
        read_question("who is \udcff")
