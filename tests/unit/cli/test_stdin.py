import io
import sys

import pytest

from hoptrail.cli.options import read_question
from hoptrail.core.errors import InputError


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
