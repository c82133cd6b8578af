from __future__ import annotations

import logging
import warnings

import pytest

from hoptrail.cli.logs import chosen_level, logs_on_stderr

OWN = logging.getLogger("hoptrail.models.caller")
LIBRARY = logging.getLogger("some_library")


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
    assert logged(capsys, chosen_level(0)) == ""


def test_verbose_shows_own_logs_and_the_warnings_of_libraries(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = logged(capsys, chosen_level(1))

    assert "info of hoptrail.models.caller" in shown
    assert "warning of some_library" in shown
    assert "this is old" in shown
    assert "debug of" not in shown
    assert "info of some_library" not in shown


def test_twice_verbose_shows_more(capsys: pytest.CaptureFixture[str]) -> None:
    shown = logged(capsys, chosen_level(2))

    assert "debug of hoptrail.models.caller" in shown
    assert "info of some_library" in shown


def test_the_setting_counts_where_verbose_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPTRAIL_LOG_LEVEL", "warning")

    assert chosen_level(0) == "warning"
    assert chosen_level(1) == "info"


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


def test_a_package_that_cannot_be_used_is_told_in_any_case(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plugins = logging.getLogger("hoptrail.core.plugins")
    with logs_on_stderr("off"):
        plugins.warning("the package broken cannot be used")
    plugins.warning("nobody listens")

    assert capsys.readouterr().err == "the package broken cannot be used\n"
