from __future__ import annotations

from hoptrail.cli.idle_settings import idle_settings


def test_a_setting_that_a_command_does_not_read_is_told_with_the_option_meant() -> None:
    (line,) = idle_settings("index", ["parameters.beta=1"], ["beta", "max_usd"])
    assert line.startswith("--set parameters.beta changes nothing in hoptrail index")
    assert line.endswith("did you mean --beta?")


def test_nothing_is_guessed_where_no_option_has_that_name() -> None:
    (line,) = idle_settings("info", ["k=3"], ["kb"])
    assert "did you mean" not in line


def test_commands_that_answer_read_them() -> None:
    assert list(idle_settings("ask", ["k=3"], ["k"])) == []
