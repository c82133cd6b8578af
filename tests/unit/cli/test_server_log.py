import logging
from collections.abc import Iterator

import pytest

from hoptrail.cli.server_process import OneLineForOwnErrors

OWN = "<class 'hoptrail.core.errors.InputError'>(no question)"
BUG = "<class 'KeyError'>('x')"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[logging.Logger]:
    logger, shortening = logging.getLogger("test_server_log"), OneLineForOwnErrors()
    logger.addFilter(shortening)
    yield logger
    logger.removeFilter(shortening)


def reports(error: str) -> list[dict[str, str]]:
    """Return the two entries that the server makes of a run that failed."""
    texts = (f"Run encountered an error in graph: {error}", f"Background run failed. {error}")
    return [{"event": text, "exception": "Traceback ..."} for text in texts]


def test_an_error_that_explains_itself_is_logged_once_without_its_traceback(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    for entry in reports(OWN):
        log.error(entry)

    assert [record.msg for record in caplog.records] == [{"event": f"Background run failed. {OWN}"}]


def test_the_traceback_of_a_bug_stays(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    for entry in reports(BUG):
        log.error(entry)

    assert [record.msg for record in caplog.records] == reports(BUG)


def test_other_entries_are_left_alone(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    log.error("%s failed", OWN)

    assert caplog.messages == [f"{OWN} failed"]
