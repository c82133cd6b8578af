import errno
import io
import json
import sqlite3
from typing import Any

import pytest
import typer

from hoptrail.cli.failures import run_guarded
from hoptrail.core.errors import CostLimitError, HoptrailError, InputError
from tests.typed import run


def unopenable_database() -> sqlite3.Error:
    """Return what SQLite says of a file in a folder that is not there."""
    with pytest.raises(sqlite3.OperationalError) as raised:
        sqlite3.connect("/no-such-folder/a.sqlite")
    return raised.value


def app_that_raises(error: BaseException, *commands: str) -> typer.Typer:
    """Return an app of these commands, or of a single one that needs no name."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    if commands:
        app.callback()(lambda: None)

    def fail(json: bool = typer.Option(False, "--json")) -> None:
        raise error

    for name in commands or (None,):
        app.command(name)(fail)
    return app


def test_an_error_is_one_line_on_stderr_with_its_hint(capsys: pytest.CaptureFixture[str]) -> None:
    error = InputError("no such\nfile", path="a.txt", hint="check the path")
    assert run_guarded(app_that_raises(error), []) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "error: a.txt: no such file (check the path)\n"


def test_an_error_with_json_is_also_an_object_on_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_guarded(app_that_raises(InputError("empty", hint="write one")), ["--json"])
    out, err = capsys.readouterr()
    expected = {"code": "bad_input", "message": "empty", "hint": "write one"}
    assert json.loads(out) == {"error": expected}
    assert err == "error: empty (write one)\n"


def test_a_reached_cost_limit_is_resumable(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(app_that_raises(CostLimitError("$1 spent")), ["--json"]) == 1
    assert json.loads(capsys.readouterr().out)["resumable"] is True


@pytest.mark.parametrize(("command", "resumable"), [("index", True), ("ask", False)])
def test_an_interrupt_exits_with_130_and_says_whether_anything_is_stored(
    command: str, resumable: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    app = app_that_raises(KeyboardInterrupt(), command)
    assert run_guarded(app, [command, "--json"]) == 130
    out, err = capsys.readouterr()
    assert json.loads(out)["resumable"] is resumable
    assert ("continues from there" in err) is resumable


def test_an_end_of_file_that_nobody_typed_is_no_interrupt(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_guarded(app_that_raises(EOFError("No data left in file")), []) == 1
    err = capsys.readouterr().err
    assert "No data left in file" in err
    assert "interrupted" not in err


def test_ctrl_d_at_a_prompt_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(lambda: print(typer.prompt("Go on?")))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run_guarded(app, []) == 130


@pytest.mark.parametrize("error", [ValueError("odd"), HoptrailError("odd")])
def test_no_error_shows_a_traceback(
    error: Exception, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOPTRAIL_DEBUG", raising=False)
    assert run_guarded(app_that_raises(error), []) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_bug_shows_its_traceback_when_debugging(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPTRAIL_DEBUG", "1")
    run_guarded(app_that_raises(ValueError("odd")), [])
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--colour"], ["surplus"], ["--json", "surplus"]])
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(app_that_raises(ValueError()), arguments) == 2
    out, err = capsys.readouterr()
    assert err.startswith("error: ")
    report: dict[str, Any] = json.loads(out) if "--json" in arguments else {}
    assert report.get("error", {}).get("code", "usage") == "usage"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            PermissionError(errno.EACCES, "Permission denied", "/kb/a"),
            "/kb/a: Permission denied",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError(errno.EFBIG, "File too large"), "File too large"),
        (unopenable_database(), "a database cannot be used: unable to open database file"),
    ],
)
def test_what_the_disk_refuses_is_no_bug(
    error: Exception, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_guarded(app_that_raises(error), ["--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["error"]["code"] == "disk"
    assert err == f"error: {told} (check the path, your rights and the free space)\n"


@pytest.mark.parametrize("command", ["ask", "retrieve"])
def test_a_question_without_quotes_is_told_to_need_them(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command, "Who", "founded", "the", "club") == 2
    told = capsys.readouterr().err
    assert f'put the question in quotes: hoptrail {command} "Who founded the club?"' in told


def test_other_commands_say_nothing_of_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("info", "kb") == 2
    assert "quotes" not in capsys.readouterr().err
