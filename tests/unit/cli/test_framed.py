"""The frame of all commands: `--verbose`, and `--kb` that may be left out."""

from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.cli.framed import chosen_level, idle_settings, logs_on_stderr, readable_settings
from tests.typed import run

OWN = logging.getLogger("hoptrail.models.caller")
LIBRARY = logging.getLogger("some_library")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make_base(path: Path) -> None:
    Hoptrail.open(path, create=True).close()


def name_of_base(capsys: pytest.CaptureFixture[str]) -> str:
    name: str = json.loads(capsys.readouterr().out)["name"]
    return name


def test_without_kb_it_is_the_folder_hoptrail_kb(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_base(folder / "hoptrail-kb")

    assert run("info", "--json") == 0
    assert name_of_base(capsys) == "hoptrail-kb"


def test_without_kb_the_variable_counts(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_base(folder / "hoptrail-kb")
    make_base(folder / "mine")
    monkeypatch.setenv("HOPTRAIL_KB", str(folder / "mine"))

    run("info", "--json")
    assert name_of_base(capsys) == "mine"


def test_without_kb_the_settings_file_counts_and_may_give_a_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_base(folder / "mine")
    toml = 'kb = "articles"\n[knowledge_bases]\narticles = "mine"\n'
    (folder / "hoptrail.toml").write_text(toml, encoding="utf-8")

    run("info", "--json")
    assert name_of_base(capsys) == "mine"


def test_the_option_wins(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_base(folder / "other")
    monkeypatch.setenv("HOPTRAIL_KB", str(folder / "mine"))

    run("info", "--kb", "other", "--json")
    assert name_of_base(capsys) == "other"


def test_a_missing_base_is_told_with_where_it_was_looked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("info") == 1

    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "no --kb was given" in error
    assert "hoptrail-kb" in error
    assert "hoptrail index PATH" in error


def test_a_missing_base_of_the_settings_is_told_as_such(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPTRAIL_KB", "gone")

    assert run("ask", "Who?") == 1
    assert "HOPTRAIL_KB or hoptrail.toml names the base, and gone" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["index", "ask", "chat", "eval", "delete", "serve", "train"])
def test_every_command_takes_verbose(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(command, "--help")

    assert "--verbose" in capsys.readouterr().out


def test_a_broken_log_level_is_told_by_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPTRAIL_LOG_LEVEL", "loud")

    assert run("info", "--kb", "any") == 1
    assert "log_level" in capsys.readouterr().err


def test_a_setting_that_a_command_does_not_read_is_told_with_the_option_meant() -> None:
    (line,) = idle_settings("index", ["parameters.beta=1"], ["beta", "max_usd"])
    assert line.startswith("--set parameters.beta changes nothing in hoptrail index")
    assert line.endswith("did you mean --beta?")


def test_nothing_is_guessed_where_no_option_has_that_name() -> None:
    (line,) = idle_settings("info", ["k=3"], ["kb"])
    assert "did you mean" not in line


def test_commands_that_answer_read_them() -> None:
    assert list(idle_settings("ask", ["k=3"], ["k"])) == []


def log_all() -> None:
    for logger in (OWN, LIBRARY):
        for level in ("debug", "info", "warning"):
            getattr(logger, level)("%s of %s", level, logger.name)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("this is old", UserWarning, stacklevel=2)


def logged(capsys: pytest.CaptureFixture[str], level: str) -> str:
    with logs_on_stderr(level):
        log_all()
    return capsys.readouterr().err


def test_nothing_is_shown_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    assert logged(capsys, chosen_level(0, readable_settings())) == ""


def test_verbose_shows_own_logs_and_the_warnings_of_libraries(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = logged(capsys, chosen_level(1, readable_settings()))

    assert "info of hoptrail.models.caller" in shown
    assert "warning of some_library" in shown
    assert "this is old" in shown
    assert "debug of" not in shown
    assert "info of some_library" not in shown


def test_twice_verbose_shows_more(capsys: pytest.CaptureFixture[str]) -> None:
    shown = logged(capsys, chosen_level(2, readable_settings()))

    assert "debug of hoptrail.models.caller" in shown
    assert "info of some_library" in shown


def test_the_setting_counts_where_verbose_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPTRAIL_LOG_LEVEL", "warning")

    assert chosen_level(0, readable_settings()) == "warning"
    assert chosen_level(1, readable_settings()) == "info"


def test_afterwards_logging_is_as_it_was() -> None:
    def state() -> tuple[object, ...]:
        root = logging.getLogger()
        own = logging.getLogger("hoptrail")
        return (*root.handlers, root.level, own.level, logging.lastResort, warnings.showwarning)

    before = state()
    with logs_on_stderr("debug"):
        pass

    assert state() == before


def test_a_library_user_sees_no_log_unasked() -> None:
    import hoptrail

    handlers = logging.getLogger(hoptrail.__name__).handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)


@pytest.mark.parametrize("name", ["hoptrail.core.plugins", "hoptrail.web.sign_on"])
def test_what_nobody_else_tells_is_told_in_any_case(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = logging.getLogger(name)
    with logs_on_stderr("off"):
        log.info("it was looked for")
        log.warning("it cannot be used")
    log.warning("nobody listens")

    assert capsys.readouterr().err == "it cannot be used\n"
